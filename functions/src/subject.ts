// Finds the subject of a lookup in its query (specification, 4.1), and resolves it to a wallet.

import { EMAIL_MAX_LENGTH, MODES, type Mode } from '../../contract/endpoint.ts';
import { ApiError, type ErrorCode } from '../../contract/errors.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import { parseTokenId, tokenStateAt } from '../../records/verificationToken.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import type { Accounts } from './google/authentication.ts';
import type { FirestoreReader, Reading } from './google/firestore.ts';
import type { Log, LogContext } from './requestLog.ts';
import type { SignResponse } from './signatures/sign.ts';

export interface Subject {
  readonly mode: Mode;
  /** As supplied, never empty. */
  readonly value: string;
}

/** What all lookups use. */
export interface EndpointDeps {
  readonly firestore: FirestoreReader;
  readonly accounts: Accounts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  /** Whether an account is found only if its e-mail address is verified. */
  readonly verifiedEmailOnly?: boolean;
  /** Undefined if responses are not signed. */
  readonly sign?: SignResponse | undefined;
  /** The reads per second of a key whose record has none. Undefined or 0 means unlimited. */
  readonly readsPerSecond?: number;
}

/** One lookup, in the parts that its steps share. Its signal is aborted when it has failed, or has taken too long. */
export type Lookup = EndpointDeps & Reading & LogContext;

/** A minimal check. Authentication checks the rest. The Kelvin sign is not a k, but its lower case is. */
const EMAIL = /^[^@\u212a]+@[^@\u212a]+$/;

/**
 * Finds the subject in a query. If several are supplied, the first in the order of `MODES` is used.
 *
 * @param query the raw query string, without its question mark
 * @returns the subject, or the code of the error, which the caller may learn only after its key was checked
 */
export function parseSubject(query: string): Subject | ErrorCode {
  // A plus means a plus, not a space. It is common in e-mail addresses, and no subject has a space.
  // URLSearchParams drops one question mark, and a second one belongs to a name.
  const parameters = new URLSearchParams(`?${query.replaceAll('+', '%2B')}`);
  if (MODES.some((mode) => parameters.getAll(mode).length > 1)) return 'repeated_parameter';
  for (const mode of MODES) {
    const value = parameters.get(mode);
    if (value) return { mode, value };
  }
  return 'missing_subject';
}

const NOT_FOUND = {
  wallet: 'invalid_wallet',
  email: 'email_not_found',
  token: 'token_not_found',
} as const satisfies Record<Mode, ErrorCode>;

/**
 * Resolves a subject to its wallet. A wallet needs no read, and other subjects need one.
 *
 * @throws ApiError `invalid_wallet`, `email_not_found`, `token_not_found`
 */
export async function resolveWallet({ mode, value }: Subject, lookup: Lookup): Promise<Wallet> {
  const { firestore, accounts, now, log, verifiedEmailOnly, signal } = lookup;
  const readers = {
    wallet: () => parseWallet(value),
    async email() {
      if (value.length > EMAIL_MAX_LENGTH || !EMAIL.test(value)) return undefined;
      const [account, ...others] = await accounts.findByEmail(value, signal);
      if (others.length > 0) {
        // Which of them is the person's cannot be told, and their order must not decide.
        const uids = [account, ...others].map((each) => each?.uid);
        log({ severity: 'WARNING', message: 'several accounts have one e-mail address', uids });
        return undefined;
      }
      if (account?.isDisabled || (verifiedEmailOnly && !account?.isVerified)) return undefined;
      return parseWallet(account?.claims['wallet']);
    },
    async token() {
      const id = parseTokenId(value);
      const path = `${COLLECTIONS.verificationTokens}/${id}`;
      return id && tokenStateAt(await firestore.readDocument(path, lookup), now()).wallet;
    },
  };
  const wallet = await readers[mode]();
  if (!wallet) throw new ApiError(NOT_FOUND[mode]);
  return wallet;
}
