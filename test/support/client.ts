// Signs users in with the Authentication emulator.

import { randomUUID } from 'node:crypto';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { seedAccount } from './seed.ts';

const { auth } = openEmulators();

const ACCOUNTS = `http://${process.env['FIREBASE_AUTH_EMULATOR_HOST']}/identitytoolkit.googleapis.com/v1/accounts`;

export interface User {
  readonly uid: string;
  /** Sent as bearer token; missing if nobody is signed in. */
  readonly idToken?: string;
  readonly refreshToken?: string;
}

export type Account = Awaited<ReturnType<typeof makeAccount>>;

export async function makeAccount(claims: object = {}) {
  const email = await seedAccount(claims);
  const { uid } = await auth.getUserByEmail(email);
  const password: string = randomUUID();
  await auth.updateUser(uid, { password });
  return { uid, email, password };
}

/** Signs in. The ID token keeps the account's current claims even if they change later. */
export const signIn = ({ email, password }: Account): Promise<User> =>
  requestIdToken('signInWithPassword', { email, password });

export const signInAnonymously = (): Promise<User> => requestIdToken('signUp', {});

async function requestIdToken(verb: string, body: object): Promise<User> {
  const response = await fetch(`${ACCOUNTS}:${verb}?key=any`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...body, returnSecureToken: true }),
  });
  const { localId: uid, idToken, refreshToken } = JSON.parse(await response.text());
  return { uid, idToken, refreshToken };
}

/** @returns the same user with an ID token whose sign-in time is `agoMs` ago */
export const signedInBefore = (user: User, agoMs: number): User =>
  withClaims(user, { auth_time: Math.floor((Date.now() - agoMs) / 1000) });

/** @returns the same user with an ID token that has these claims too */
export function withClaims({ idToken = '', ...user }: User, claims: object): User {
  const [header, payload = ''] = idToken.split('.');
  const all = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...claims };
  const changed = Buffer.from(JSON.stringify(all)).toString('base64url');
  // The emulators do not sign tokens.
  return { ...user, idToken: `${header}.${changed}.` };
}
