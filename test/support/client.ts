// A user's client. It signs in with the Authentication emulator and calls Firestore's REST API under
// firestore.rules, as the web SDK does.

import { randomUUID } from 'node:crypto';
import { EMULATED_PROJECT } from '../../tools/sandbox/emulatorAddresses.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { seedAccount } from './seed.ts';

const { auth } = openEmulators();

const ACCOUNTS = `http://${process.env['FIREBASE_AUTH_EMULATOR_HOST']}/identitytoolkit.googleapis.com/v1/accounts`;
const FIRESTORE = `http://${process.env['FIRESTORE_EMULATOR_HOST']}`;

const DATABASE = `projects/${EMULATED_PROJECT}/databases/(default)/documents`;

export interface User {
  readonly uid: string;
  /** Sent as bearer token; missing if nobody is signed in. */
  readonly idToken?: string;
  readonly refreshToken?: string;
}

/** A value in the format of Firestore's REST API. */
export type Value = Readonly<Record<string, unknown>>;
export type Fields = Readonly<Record<string, Value>>;

export const SERVER_TIME = { serverTime: true };
export const text = (stringValue: string): Value => ({ stringValue });
export const bool = (booleanValue: boolean): Value => ({ booleanValue });
export const instant = (ms: number): Value => ({ timestampValue: new Date(ms).toISOString() });

export interface Account {
  readonly uid: string;
  readonly email: string;
  readonly password: string;
}

export async function makeAccount(claims: object = {}): Promise<Account> {
  const email = await seedAccount(claims);
  const { uid } = await auth.getUserByEmail(email);
  const password = randomUUID();
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
export function signedInBefore({ idToken = '', ...user }: User, agoMs: number): User {
  const [header, payload = ''] = idToken.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  claims.auth_time = Math.floor((Date.now() - agoMs) / 1000);
  const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
  // The emulators do not sign tokens.
  return { ...user, idToken: `${header}.${changed}.` };
}

/** Calls Firestore. @returns `OK` or the status of the error */
async function call(user: User, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${FIRESTORE}/v1/${DATABASE}${path}`, {
    method,
    headers: user.idToken === undefined ? {} : { Authorization: `Bearer ${user.idToken}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  // A query returns a list.
  const [first] = [JSON.parse(await response.text())].flat();
  return first?.error ? first.error.status : 'OK';
}

export const get = (user: User, path: string): Promise<string> => call(user, 'GET', `/${path}`);
export const remove = (user: User, path: string): Promise<string> =>
  call(user, 'DELETE', `/${path}`);

/** Lists the documents of a collection. @param equal lists only documents with these field values */
export function list(user: User, collectionId: string, equal: Fields = {}): Promise<string> {
  const filters = Object.entries(equal).map(([fieldPath, value]) => ({
    fieldFilter: { field: { fieldPath }, op: 'EQUAL', value },
  }));
  const where = filters.length > 0 && { where: { compositeFilter: { op: 'AND', filters } } };
  return call(user, 'POST', ':runQuery', {
    structuredQuery: { from: [{ collectionId }], ...where },
  });
}

/**
 * Writes a whole document. With a mask, writes only the masked fields of an existing document, and removes
 * those that have no value.
 */
export function write(
  user: User,
  path: string,
  fields: Fields,
  mask?: readonly string[],
): Promise<string> {
  const stored = Object.entries(fields).filter(([, value]) => value !== SERVER_TIME);
  const timed = Object.entries(fields).filter(([, value]) => value === SERVER_TIME);
  return call(user, 'POST', ':commit', {
    writes: [
      {
        update: { name: `${DATABASE}/${path}`, fields: Object.fromEntries(stored) },
        updateTransforms: timed.map(([fieldPath]) => ({
          fieldPath,
          setToServerValue: 'REQUEST_TIME',
        })),
        ...(mask && { updateMask: { fieldPaths: mask }, currentDocument: { exists: true } }),
      },
    ],
  });
}
