// The subject of a lookup (specification, 4.1): which one a query names, and its wallet.

import type { UserRecord } from 'firebase-admin/auth';
import { parseTokenId } from '../../records/verificationToken.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { ApiError } from './errors.ts';
import type { FirestoreReader } from './firestore/reader.ts';
import { readTokenWallet } from './verificationTokens.ts';

/** The modes of a lookup, in the order in which they are checked. */
export const MODES = ['wallet', 'email', 'token'] as const;
export type Mode = (typeof MODES)[number];

export interface Subject {
  readonly mode: Mode;
  /** As supplied, never empty. */
  readonly value: string;
}

/** The one call to Firebase Authentication that a lookup needs. */
export interface Accounts {
  /** @param signal cancels the call when it is aborted */
  readonly getUserByEmail: (
    email: string,
    signal: AbortSignal,
  ) => Promise<Pick<UserRecord, 'disabled' | 'customClaims'>>;
}

export interface SubjectSources {
  readonly firestore: FirestoreReader;
  readonly auth: Accounts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** RFC 5321, 4.5.3.1: a longer address cannot exist, so no account is looked up. */
export const EMAIL_MAX_LENGTH = 254;

/**
 * Finds the subject in a query; the first supplied one in the order of `MODES` decides.
 *
 * @param query the raw query string, without its question mark
 * @throws ApiError `repeated_parameter`, `missing_subject`
 */
export function parseSubject(query: string): Subject {
  // A plus stands for itself: it is common in e-mail addresses, and no subject has a space.
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  if (MODES.some((mode) => parameters.getAll(mode).length > 1)) {
    throw new ApiError('repeated_parameter');
  }
  for (const mode of MODES) {
    const value = parameters.get(mode);
    if (value) return { mode, value };
  }
  throw new ApiError('missing_subject');
}

/**
 * Resolves a subject to its wallet; a wallet needs no read, the others one.
 *
 * @param signal aborted when the lookup has ended
 * @throws ApiError `invalid_wallet`, `email_not_found`, `token_not_found`
 */
export async function resolveWallet(
  subject: Subject,
  sources: SubjectSources,
  signal: AbortSignal,
): Promise<Wallet> {
  switch (subject.mode) {
    case 'wallet':
      return parseWallet(subject.value) ?? refuse('invalid_wallet');
    case 'email':
      return (
        (await readEmailWallet(sources.auth, subject.value, signal)) ?? refuse('email_not_found')
      );
    case 'token': {
      const id = parseTokenId(subject.value);
      const wallet = id && (await readTokenWallet(sources.firestore, id, sources.now()));
      return wallet ?? refuse('token_not_found');
    }
  }
}

function refuse(code: 'invalid_wallet' | 'email_not_found' | 'token_not_found'): never {
  throw new ApiError(code);
}

async function readEmailWallet(
  auth: Accounts,
  email: string,
  signal: AbortSignal,
): Promise<Wallet | undefined> {
  if (email.length > EMAIL_MAX_LENGTH) return undefined;
  try {
    const account = await auth.getUserByEmail(email, signal);
    return account.disabled ? undefined : parseWallet(account.customClaims?.['wallet']);
  } catch (error) {
    if (isUnknownAccount(error)) return undefined;
    throw error;
  }
}

function isUnknownAccount(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'auth/user-not-found' || code === 'auth/invalid-email';
}
