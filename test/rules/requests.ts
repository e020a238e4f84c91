// Requests of users to Firestore with the web SDK, as the pages send them, and changes of them in a single respect.

import { randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase/app';
import {
  collection,
  connectFirestoreEmulator,
  type DocumentData,
  deleteDoc,
  doc,
  type Firestore,
  getDoc,
  getDocs,
  initializeFirestore,
  query,
  setDoc,
  setLogLevel,
  updateDoc,
  where,
} from 'firebase/firestore/lite';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { EMULATED_PROJECT } from '../../tools/sandbox/emulatorAddresses.ts';
import type { User } from '../support/client.ts';

export const DENIED = 'permission-denied';
export const fromNow = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

/** Sends requests without signing in. */
export const nobody: User = { uid: 'nobody' };

// The SDK would log each refusal.
setLogLevel('silent');
const [host = '', port] = (process.env['FIRESTORE_EMULATOR_HOST'] ?? '').split(':');

function open({ idToken: mockUserToken }: User): Firestore {
  const app = initializeApp({ projectId: EMULATED_PROJECT }, randomUUID());
  const db = initializeFirestore(app, { ignoreUndefinedProperties: true });
  connectFirestoreEmulator(db, host, Number(port), mockUserToken ? { mockUserToken } : {});
  return db;
}

/** @returns `OK` or the code of the error */
const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    ({ code }) => code,
  );

export const get = (user: User, path: string) => outcome(getDoc(doc(open(user), path)));
export const remove = (user: User, path: string) => outcome(deleteDoc(doc(open(user), path)));
export const create = (user: User, path: string, fields: DocumentData) =>
  outcome(setDoc(doc(open(user), path), fields));
export const update = (user: User, path: string, fields: DocumentData) =>
  outcome(updateDoc(doc(open(user), path), fields));

/** Lists the documents of a collection. @param equal lists only documents with these field values */
export const list = (user: User, name: string, equal: object = {}) => {
  const filters = Object.entries(equal).map(([field, value]) => where(field, '==', value));
  return outcome(getDocs(query(collection(open(user), name), ...filters)));
};

/** A request to store a record or, as an update, to change fields of a stored one. */
export interface Request {
  readonly user: User;
  readonly path: string;
  readonly fields: DocumentData;
  readonly isUpdate?: boolean;
}
/** What differs from an allowed request. A field that is undefined is not sent. */
export type Change = Partial<Request>;

export function send(allowed: Request, change: Change = {}): Promise<string> {
  const { user, path, isUpdate } = { ...allowed, ...change };
  const fields = { ...allowed.fields, ...change.fields };
  return (isUpdate ? update : create)(user, path, fields);
}

/** Sets a field to another value, or one more field. */
export const field = (name: string, value: unknown): Change => ({ fields: { [name]: value } });

/** Lets another user send the request, and puts that user's uid into the field. */
export const by = (name: string, user: User): Change => ({ user, ...field(name, user.uid) });
