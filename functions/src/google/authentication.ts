// Reads the account of an e-mail address from Firebase Authentication's REST API.

import { openService } from './call.ts';
import { GoogleError, UnusableResponse } from './exchange.ts';
import { type JsonObject, readJson } from './responseJson.ts';
import { authorizeAtEmulator, type GoogleAccount } from './serviceAccount.ts';

const HOST = 'identitytoolkit.googleapis.com';

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
    async findByEmail(email: string, signal: AbortSignal) {
      const content = { email: [email] };
      const newReader = () => readJson((json) => readAccounts(json, email));
      try {
        return await call({ url, content, newReader, signal });
      } catch (error) {
        if (error instanceof GoogleError && error.details.reason === 'INVALID_EMAIL') return [];
        throw error;
      }
    },
  };
}

/**
 * @param json `{"users": [{"localId", "email", "emailVerified", "disabled", "customAttributes": JSON text}]}`,
 * without `users` if there is no account
 */
function readAccounts({ users }: JsonObject, email: string) {
  if (users === undefined) return [];
  const accounts = Array.isArray(users) ? users.map(Object) : [];
  // Authentication stores addresses in lower case.
  const isOfEmail = (user: JsonObject) =>
    String(user['email']).toLowerCase() === email.toLowerCase();
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
