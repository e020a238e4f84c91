// Connects to a Firebase project within a deadline, and finds accounts: its users', and the admin's own.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type App, applicationDefault, initializeApp } from 'firebase-admin/app';
import type { Auth, UserRecord } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import { COLLECTIONS } from '../../records/collections.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { credentialFailure } from './credentials.ts';

/**
 * Long enough for the access token and the first read, which the SDK retries for 7 seconds if it is
 * refused. Short enough to report a failure within the documented 15 seconds.
 */
const REACH_DEADLINE_MS = 11_000;

/**
 * @param project id of the Firebase project
 * @param emulator host:port of the Firestore emulator; undefined in production
 * @returns the database, and its clock in milliseconds
 * @throws Failure that says what to do, within 11 seconds, when the database cannot be reached or read
 */
export async function reachDatabase(
  project: string,
  emulator: string | undefined,
): Promise<{ readonly app: App; readonly db: Firestore; readonly nowMs: number }> {
  // The emulators need no credentials, so Google's metadata server is not asked for them.
  if (emulator) process.env['METADATA_SERVER_DETECTION'] ??= 'none';
  const deadline = once(AbortSignal.timeout(REACH_DEADLINE_MS), 'abort');
  const inTime = <T>(response: Promise<T>, failure: string): Promise<T> =>
    Promise.race([
      response,
      deadline.then(() => {
        throw new Failure(failure);
      }),
    ]);
  try {
    // Requested separately, because Firestore retries for minutes and its errors say less.
    if (!emulator) {
      await inTime(
        applicationDefault().getAccessToken(),
        'Google does not return an access token. Check the network and the proxy, then run ' +
          '`gcloud auth application-default login` and try again.',
      );
    }
    // Named, so that several commands can run in one process.
    const app = initializeApp({ projectId: project }, randomUUID());
    const db = getFirestore(app);
    // One read first, because a write to an unreachable database is retried for ten minutes.
    const { readTime } = await inTime(
      db.collection(COLLECTIONS.apiKeys).doc('-').get(),
      emulator
        ? `The Firestore emulator at ${emulator} does not respond. Start it with \`npm run emulators\`.`
        : 'Firestore does not respond. Check the network.',
    );
    return { app, db, nowMs: readTime.toMillis() };
  } catch (error) {
    throw credentialFailure(error, project) ?? error;
  }
}

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
