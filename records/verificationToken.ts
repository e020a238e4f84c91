// Verification tokens (specification, 2.4): their form, lifetime, states and records.

import { regexes } from 'zod/v4/core';
import { TOKEN_LIFETIME_MS } from '../contract/endpoint.ts';
import { CLOCK_SKEW_MS, type Stored, storedTimeMs } from './storedValues.ts';
import { parseWallet, type Wallet } from './wallet.ts';

/** A UUID in lower case, which is the id of a token's record. */
export type TokenId = string & { readonly __brand: 'TokenId' };

/** The states of a token (specification, section 3). An `unusable` record is not a valid token. */
export type TokenState = 'valid' | 'revoked' | 'expired' | 'unusable';

/** What a user may add to a token. Each is a name as records/project.ts has it. */
export interface TokenChoices {
  /** The only project whose keys may use the token. Without it, the keys of every project may. */
  readonly project?: string | undefined;
  /** What the owner remembers the token by. */
  readonly note?: string | undefined;
}

/**
 * @param uid the user who made the token
 * @param createdAt a date, or the SDK's server timestamp
 */
export const newTokenRecord = <Time>(
  wallet: string,
  uid: string,
  createdAt: Time,
  { project, note }: TokenChoices = {},
) => ({
  wallet,
  uid,
  createdAt,
  revoked: false,
  ...(project !== undefined && { project }),
  ...(note !== undefined && { note }),
});

/** The fields that revoking a token changes in its record. */
export const TOKEN_REVOCATION = { revoked: true } as const;

/**
 * @param value a UUID of any version, in either case
 * @returns the token in lower case, or undefined if it is not a UUID
 */
export const parseTokenId = (value: string): TokenId | undefined =>
  regexes.guid.test(value) ? (value.toLowerCase() as TokenId) : undefined;

/** A token at one time. Only a valid token has a wallet and, if it was made for one project, a project. */
export interface TokenAt {
  readonly state: TokenState;
  readonly wallet?: Wallet;
  readonly project?: string;
}

/** The state of a stored token. */
export function tokenStateAt(stored: Stored | undefined, nowMs: number): TokenAt {
  const wallet = parseWallet(stored?.['wallet']);
  const createdAt = storedTimeMs(stored?.['createdAt']) ?? Number.NaN;
  const revoked = stored?.['revoked'];
  // A missing field means not revoked. Any value except false means revoked.
  if (revoked !== undefined && revoked !== false) return { state: 'revoked' };
  if (createdAt <= nowMs - TOKEN_LIFETIME_MS) return { state: 'expired' };
  // NaN fails.
  if (wallet === undefined || !(createdAt <= nowMs + CLOCK_SKEW_MS)) return { state: 'unusable' };
  const project = stored?.['project'];
  if (project === undefined) return { state: 'valid', wallet };
  // A project that cannot be read must not open the token to every project.
  return typeof project === 'string' ? { state: 'valid', wallet, project } : { state: 'unusable' };
}
