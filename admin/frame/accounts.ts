// Finds accounts in Firebase Authentication: those of users, and the one that runs the command line.

import { applicationDefault } from 'firebase-admin/app';
import type { Auth, UserRecord } from 'firebase-admin/auth';
import * as z from 'zod';
import { usageFailure } from '../terminal/failure.ts';

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

/** @throws Failure (exit status 2) when `email` is not an e-mail address */
export async function findAccount(auth: Auth, email: string): Promise<UserRecord | undefined> {
  try {
    return await auth.getUserByEmail(email);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'auth/user-not-found') return undefined;
    if (code !== 'auth/invalid-email') throw error;
    throw usageFailure(`${email} is not an e-mail address.`, error);
  }
}
