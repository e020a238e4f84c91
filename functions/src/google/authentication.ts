// Reads the account of an e-mail address from Firebase Authentication's REST API.

import { openService } from './call.ts';
import { GoogleError, UnusableResponse } from './exchange.ts';
import { type JsonObject, readJson } from './responseJson.ts';
import { authorizeAtEmulator, type GoogleAccount } from './serviceAccount.ts';

const HOST = 'identitytoolkit.googleapis.com';

export interface Account {
  readonly uid: string;
  readonly isDisabled: boolean;
  /** Whether somebody has opened a link that was sent to the address. */
  readonly isVerified: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
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
    async findByEmail(email: string, signal: AbortSignal): Promise<readonly Account[]> {
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
function readAccounts({ users }: JsonObject, email: string): Account[] {
  if (users === undefined) return [];
  if (!Array.isArray(users) || users.length === 0) throw new UnusableResponse(MISMATCH);
  return users.map((user) => readAccount(Object(user), email));
}

function readAccount(user: JsonObject, email: string): Account {
  const { localId, emailVerified, disabled, customAttributes } = user;
  // Authentication stores addresses in lower case.
  if (String(user['email']).toLowerCase() !== email.toLowerCase()) {
    throw new UnusableResponse(MISMATCH);
  }
  return {
    uid: String(localId),
    isDisabled: disabled === true,
    isVerified: emailVerified === true,
    claims: Object(typeof customAttributes === 'string' && JSON.parse(customAttributes)),
  };
}

const MISMATCH = 'the response is not for the requested account';
