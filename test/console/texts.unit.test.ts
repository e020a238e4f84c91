// Tests texts of the console that need no browser: error messages.

import { FirebaseError } from 'firebase/app';
import { expect, test } from 'vitest';
import { isDenied, mailProblem, signInProblem } from '../../console/problems.ts';

const withCode = (code: string): Error => new FirebaseError(`auth/${code}`, 'from Firebase');

test.each([
  ['invalid-credential', 'The e-mail address or the password is wrong'],
  ['user-not-found', 'The e-mail address or the password is wrong'],
  ['user-disabled', 'This account is disabled. Ask the people'],
  ['too-many-requests', 'Too many attempts with this account. Wait a few minutes'],
  ['operation-not-allowed', 'This sign-in method is turned off here. Ask the people'],
  ['network-request-failed', 'There is no connection. Check your network'],
  ['multi-factor-auth-required', 'This account requires a second factor'],
  ['google-access_denied', 'You cancelled the sign-in at Google'],
  ['something-new', 'Signing in failed (auth/something-new). Try again'],
])('a sign-in that fails with %s says what to do', (code, sentence) => {
  expect(signInProblem(withCode(code))).toContain(sentence);
});

test('any other error has a sentence with a code to report', () => {
  expect(signInProblem(new Error('x'))).toContain('Signing in failed (unknown). Try again');
  expect(mailProblem(new Error('x'))).toContain('Sending the e-mail failed (unknown). Try again');
});

test.each([
  ['too-many-requests', 'Too many e-mails were requested'],
  ['invalid-email', 'This is not an e-mail address'],
])('an e-mail that fails with %s says what to do', (code, sentence) => {
  expect(mailProblem(withCode(code))).toContain(sentence);
});

test('the database refuses a user whose rights are missing or whose sign-in has ended', () => {
  const codes = ['permission-denied', 'unauthenticated', 'unavailable'];
  expect(codes.map((code) => isDenied(new FirebaseError(code, '')))).toEqual([true, true, false]);
});
