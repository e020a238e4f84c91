// Accounts in Firebase Authentication: those of users, which are found by address, and the one that runs the command.

import { applicationDefault } from 'firebase-admin/app';
import type { UserRecord } from 'firebase-admin/auth';
import * as z from 'zod';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { minuteOf } from './output.ts';
import type { ReadableAccounts } from './reads.ts';

/** Recorded when the account is not known. */
export const UNKNOWN_ACTOR = 'cli';

const TOKEN_INFO = 'https://oauth2.googleapis.com/tokeninfo';
const DEADLINE_MS = 3_000;
const tokenInfo = z.object({ email: z.string() });

/**
 * Reads the account of the application default credentials.
 *
 * @returns its e-mail address, or `cli` if Google does not return it in time
 */
export async function readActor(): Promise<string> {
  try {
    const { access_token } = await applicationDefault().getAccessToken();
    const response = await fetch(TOKEN_INFO, {
      method: 'POST',
      body: new URLSearchParams({ access_token }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    return tokenInfo.parse(await response.json()).email;
  } catch {
    return UNKNOWN_ACTOR;
  }
}

/** How the admin names an account on the command line. */
export const ACCOUNT = ['<account>', 'its e-mail address or uid'] as const;

/**
 * Reads every account of an address, because a project may allow several, or the one of a uid.
 *
 * @throws Failure (exit status 2) when `account` is neither
 */
export async function readAccounts(auth: ReadableAccounts, account: string): Promise<UserRecord[]> {
  try {
    const name = account.includes('@') ? { email: account } : { uid: account };
    return (await auth.getUsers([name])).users;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'auth/invalid-email' && code !== 'auth/invalid-uid') throw error;
    const named = escapeForTerminal(account);
    throw usageFailure(`${named} is neither an e-mail address nor a uid. Check it.`, error);
  }
}

/** @throws Failure unless exactly one account has the address or uid */
export async function readAccount(auth: ReadableAccounts, named: string): Promise<UserRecord> {
  const [account, ...others] = await readAccounts(auth, named);
  const name = escapeForTerminal(named);
  if (!account) {
    throw new Failure(
      `No account has the address or uid ${name}. Check it, ask the person to sign up, or add the account ` +
        '(Firebase console → Authentication → Add user).',
    );
  }
  if (others.length === 0) return account;
  const uids = [account, ...others].map(({ uid }) => uid).join(', ');
  throw new Failure(
    `More than one account has the address ${name}, so it names nobody. Find out which one is the person's, ` +
      `and delete the others (Firebase console → Authentication), or give the uid instead. Their uids: ${uids}.`,
  );
}

/** @param time in the format of Authentication; empty or null if there is none */
const isoOf = (time: string | null | undefined): string | null =>
  time ? new Date(time).toISOString() : null;

/** What shows an admin whose account it is. Anyone can sign up with the address of another person. */
export const originOf = ({ uid, metadata, providerData }: UserRecord) => ({
  uid,
  createdAt: isoOf(metadata.creationTime),
  lastSignInAt: isoOf(metadata.lastSignInTime),
  signInMethods: providerData.map(({ providerId }) => providerId),
});

/** How the admin recognizes an account. */
export const nameOf = ({ email, uid }: UserRecord): string => escapeForTerminal(email ?? uid);

/** For a confirmation, as in "a@example.com (uid a, created 2026-11-20 09:00, never signed in, signs in by password)". */
export function describeAccount(account: UserRecord): string {
  const { uid, createdAt, lastSignInAt, signInMethods } = originOf(account);
  const signIn = lastSignInAt ? `last signed in ${minuteOf(lastSignInAt)}` : 'never signed in';
  const by = signInMethods.join(' and ') || 'nothing';
  return `${nameOf(account)} (uid ${uid}, created ${minuteOf(createdAt)}, ${signIn}, signs in by ${by})`;
}
