// Reads the account of an e-mail address from Firebase Authentication's REST API.

import { domainToASCII } from 'node:url';
import { EMAIL_MAX_LENGTH } from '../../../contract/endpoint.ts';
import { openService } from './call.ts';
import { type GoogleError, UnusableResponse } from './exchange.ts';
import { type JsonObject, readJson } from './responseJson.ts';
import { authorizeAtEmulator, type GoogleAccount } from './serviceAccount.ts';

const HOST = 'identitytoolkit.googleapis.com';

/** An e-mail address in the form in which it is looked up and compared. Only `parseEmail` makes one. */
export type Email = string & { readonly __brand: 'Email' };

/** A minimal check. Authentication checks the rest. The Kelvin sign is not a k, but its lower case is. */
const EMAIL = /^([^@\u212a]+)@([^@\u212a]+)$/;
/** The letters, digits and signs of a name. `domainToASCII` would end it at a slash, and decode a percent sign. */
const DOMAIN = /^[\w.\-\u0080-\uffff]+$/;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Gives the spellings of one address one form: NFC, and the domain as it is in the name system (IDNA). So a name that
 * macOS decomposes, and `münchen.example`, are found.
 *
 * @returns undefined if no account can have the address
 */
export function parseEmail(text: string): Email | undefined {
  const [, local, domain = ''] = EMAIL.exec(text)?.map((part) => part.normalize('NFC')) ?? [];
  const isAscii = ASCII.test(domain);
  const name = isAscii ? domain : DOMAIN.test(domain) && domainToASCII(domain);
  const email = `${local}@${name}`;
  return name && email.length <= EMAIL_MAX_LENGTH ? (email as Email) : undefined;
}

export type Accounts = ReturnType<typeof openAccounts>;

/**
 * Opens Firebase Authentication of the account's project.
 *
 * @param emulator host:port of the emulator to use instead, if any
 */
export function openAccounts({ projectId, authorize }: GoogleAccount, emulator?: string) {
  const call = openService('Authentication', emulator ? authorizeAtEmulator : authorize);
  const origin = emulator ? `http://${emulator}/${HOST}` : `https://${HOST}`;
  const url = new URL(`${origin}/v1/projects/${projectId}/accounts:lookup`);
  return {
    /**
     * @returns every account of the address, or none if Authentication rejects it as invalid. The number of
     *   accounts of one address is a setting of the project.
     * @throws GoogleError
     */
    findByEmail: (email: Email, signal: AbortSignal) =>
      call({
        url,
        content: { email: [email] },
        newReader: () => readJson((json) => readAccounts(json, email)),
        signal,
        answerOf: noAccount,
      }),
  };
}

/** Authentication reports an address that it rejects as an error. */
const noAccount = ({ details }: GoogleError) =>
  details.reason === 'INVALID_EMAIL' ? [] : undefined;

/**
 * @param json `{"users": [{"localId", "email", "emailVerified", "disabled", "customAttributes": JSON text}]}`,
 * without `users` if there is no account
 */
function readAccounts({ users }: JsonObject, email: Email) {
  if (users === undefined) return [];
  const accounts = Array.isArray(users) ? users.map(Object) : [];
  // Authentication stores addresses in lower case, and may answer with another spelling.
  const isOfEmail = (user: JsonObject) =>
    parseEmail(String(user['email']))?.toLowerCase() === email.toLowerCase();
  if (accounts.length === 0 || !accounts.every(isOfEmail)) {
    throw new UnusableResponse('the response is not for the requested account');
  }
  return accounts.map(({ localId, emailVerified, disabled, customAttributes }: JsonObject) => {
    const claims: JsonObject = Object(
      typeof customAttributes === 'string' && JSON.parse(customAttributes),
    );
    return {
      uid: String(localId),
      isDisabled: disabled === true,
      /** Whether somebody has opened a link that was sent to the address. */
      isVerified: emailVerified === true,
      claims,
    };
  });
}
