// Requests to store or change a record, and functions that change them in a single respect.

import { type Fields, text, type User, write } from '../support/client.ts';

export const DENIED = 'PERMISSION_DENIED';
export const HOUR_MS = 60 * 60 * 1000;

/** Sends requests without signing in. */
export const nobody: User = { uid: 'nobody' };

/** A request to store a record or, with a mask, to change these fields of a stored record. */
export interface Request {
  readonly user: User;
  readonly path: string;
  readonly fields: Fields;
  readonly mask?: readonly string[];
}

export const send = ({ user, path, fields, mask }: Request): Promise<string> =>
  write(user, path, fields, mask);

export const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));

/** Changes an allowed request. */
export type Change = (allowed: Request) => Partial<Request>;

/** Sets a field to another value. */
export const field =
  (name: string, value: () => Fields[string]): Change =>
  ({ fields }) => ({ fields: { ...fields, [name]: value() } });

/** Also changes one more field. */
export const also =
  (name: string, value: () => Fields[string]): Change =>
  ({ fields, mask = [] }) => ({ fields: { ...fields, [name]: value() }, mask: [...mask, name] });

/** Lets another user send the request, and puts that user's uid into the field. */
export const by =
  (name: string, who: () => User): Change =>
  ({ fields }) => ({ user: who(), fields: { ...fields, [name]: text(who().uid) } });
