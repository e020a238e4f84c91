// Error messages for users, which say what to do.

import { FirebaseError } from 'firebase/app';
import { operator } from './operator.tsx';

const WRONG_CREDENTIAL = 'The e-mail address or the password is wrong. Check both and try again.';

/** The messages by error code of Firebase Authentication and of Google's sign-in. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'auth/invalid-credential': WRONG_CREDENTIAL,
  'auth/user-not-found': WRONG_CREDENTIAL,
  'auth/wrong-password': WRONG_CREDENTIAL,
  'auth/invalid-email': 'This is not an e-mail address. Check it and try again.',
  'auth/user-disabled': `This account is disabled. Ask ${operator} to enable it again.`,
  'auth/too-many-requests':
    'Too many attempts with this account. Wait a few minutes, or reset your password, and try again.',
  'auth/network-request-failed': 'There is no connection. Check your network and try again.',
  'auth/multi-factor-auth-required':
    'This account requires a second factor, which this page does not support. Use an account without one.',
  'auth/operation-not-allowed': `This sign-in method is turned off here. Ask ${operator} to turn it on.`,
  'auth/user-token-expired': 'Your sign-in has ended. Sign in again.',
  'auth/google-access_denied':
    'You cancelled the sign-in at Google. Start it again, or use your password.',
  'auth/google-elsewhere':
    'This sign-in was begun in another tab or browser, so it cannot end here. Sign in again.',
  'auth/invalid-idp-response':
    'Google’s answer was refused, for example because it is too old. Sign in again.',
};

const codeOf = (error: unknown): string =>
  error instanceof FirebaseError ? error.code : 'unknown';

const describe = (what: string, code: string): string =>
  PROBLEMS[code] ??
  `${what} failed (${code}). Try again; if it fails again, report that code to ${operator}.`;

export const signInProblem = (error: unknown): string => describe('Signing in', codeOf(error));

/** Describes why Authentication did not send an e-mail. */
export const mailProblem = (error: unknown): string =>
  codeOf(error) === 'auth/too-many-requests'
    ? 'Too many e-mails were requested for this account. Wait a few minutes and try again.'
    : describe('Sending the e-mail', codeOf(error));

export const isUnknownAccount = (error: unknown): boolean =>
  codeOf(error) === 'auth/user-not-found';

/** Whether the database refused the operation because firestore.rules does not allow it. */
export const isDenied = (error: unknown): boolean =>
  ['permission-denied', 'unauthenticated'].includes(codeOf(error));

export const UNREACHABLE = 'The database cannot be reached. Check your network and try again.';

const DEADLINE_MS = 20_000;

/** Rejects when the promise takes longer than a person would wait. It does not cancel the work. */
export function withTimeout<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no response in time')), DEADLINE_MS);
    // A timer would keep the promise, and what it has read, until the deadline.
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
