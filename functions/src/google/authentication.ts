// Reads the account of an e-mail address from Firebase Authentication's REST API.

import { openService } from './call.ts';
import { GoogleError, UnusableResponse } from './exchange.ts';
import { type JsonObject, readJson } from './json.ts';
import { authorizeAtEmulator, type GoogleAccount } from './serviceAccount.ts';

const HOST = 'identitytoolkit.googleapis.com';

export interface Account {
  readonly isDisabled: boolean;
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
     * @returns undefined if the address has no account, or if Authentication rejects it as invalid
     * @throws GoogleError
     */
    async findByEmail(email: string, signal: AbortSignal): Promise<Account | undefined> {
      const content = { email: [email] };
      const newReader = () => readJson((json) => readAccount(json, email));
      try {
        return await call({ url, content, newReader, signal });
      } catch (error) {
        if (error instanceof GoogleError && error.details.reason === 'INVALID_EMAIL') return;
        throw error;
      }
    },
  };
}

/**
 * @param json `{"users": [{"email", "disabled", "customAttributes": JSON text}]}`, without `users` if
 * there is no account
 */
function readAccount({ users }: JsonObject, email: string): Account | undefined {
  if (users === undefined) return undefined;
  const [user] = Array.isArray(users) ? users : [];
  // Authentication stores addresses in lower case.
  if (String(Object(user).email).toLowerCase() !== email.toLowerCase()) {
    throw new UnusableResponse('the response is not for the requested account');
  }
  const { disabled, customAttributes } = Object(user);
  return {
    isDisabled: disabled === true,
    claims: Object(typeof customAttributes === 'string' && JSON.parse(customAttributes)),
  };
}
