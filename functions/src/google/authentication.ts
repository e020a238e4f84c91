// Reads the account of an e-mail address from Firebase Authentication's REST API.

import { type GoogleAccount, openService } from './account.ts';
import type { Service } from './call.ts';
import { GoogleError, toGoogleError, UnusableResponse } from './exchange.ts';
import { parseJson, readJson } from './json.ts';

const HOST = 'identitytoolkit.googleapis.com';

export interface Account {
  readonly isDisabled: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface Accounts {
  /** @returns undefined if the address has no account, or if Authentication rejects it as invalid */
  readonly findByEmail: (email: string, signal: AbortSignal) => Promise<Account | undefined>;
}

/**
 * Opens Firebase Authentication of the account's project. Its calls reject with GoogleError.
 *
 * @param emulator host:port of the emulator to use instead, if any
 */
export function openAccounts(account: GoogleAccount, emulator: string | undefined): Accounts {
  const emulatorUrl = emulator && `http://${emulator}/${HOST}`;
  let service: Service | undefined;
  return {
    async findByEmail(email, signal) {
      // Opened on demand, because lookups by wallet or token do not need it.
      service ??= openService('Authentication', `https://${HOST}`, emulatorUrl, account);
      try {
        return await service.call({
          path: `/v1/projects/${account.projectId}/accounts:lookup`,
          content: { email: [email] },
          newReader: () => readJson((json) => readAccount(json, email)),
          signal,
        });
      } catch (error) {
        if (error instanceof GoogleError && error.details.reason === 'INVALID_EMAIL')
          return undefined;
        throw error;
      }
    },
  };
}

/**
 * @param json `{"users": [{"email", "disabled", "customAttributes": JSON text}]}`, without `users` if
 * there is no account
 */
function readAccount(json: unknown, email: string): Account | undefined {
  const { users, error } = Object(json);
  if (error) throw toGoogleError(Number(error.code), JSON.stringify(json));
  if (users === undefined && json instanceof Object && !Array.isArray(json)) return undefined;
  const [user] = Array.isArray(users) ? users : [];
  // Authentication stores addresses in lower case.
  if (String(Object(user).email).toLowerCase() !== email.toLowerCase()) {
    throw new UnusableResponse('the response is not for the requested account');
  }
  const { disabled, customAttributes } = Object(user);
  return {
    isDisabled: disabled === true,
    claims: Object(typeof customAttributes === 'string' && parseJson(customAttributes)),
  };
}
