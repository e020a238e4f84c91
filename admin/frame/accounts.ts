// Finds accounts in Firebase Authentication.

import type { Auth, UserRecord } from 'firebase-admin/auth';
import { usageFailure } from '../terminal/failure.ts';

/** @throws Failure (exit status 2) when `email` is not an e-mail address */
export async function findAccount(auth: Auth, email: string): Promise<UserRecord | undefined> {
  try {
    return await auth.getUserByEmail(email);
  } catch (error) {
    if (codeOf(error) === 'auth/user-not-found') return undefined;
    if (codeOf(error) === 'auth/invalid-email') {
      throw usageFailure(`${email} is not an e-mail address.`, error);
    }
    throw error;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
