// What a command may do before it asks: read. Firestore and Authentication have these types too, so nothing is wrapped,
// but the compiler refuses a write outside of `change`.

import type { Auth } from 'firebase-admin/auth';
import type { DocumentData, FieldPath, WhereFilterOp } from 'firebase-admin/firestore';

export interface ReadableDocument {
  readonly id: string;
  readonly ref: { readonly path: string };
  data(): DocumentData;
  get(field: string): unknown;
}

export interface ReadableQuery {
  where(field: string, operator: WhereFilterOp, value: unknown): ReadableQuery;
  orderBy(field: FieldPath): ReadableQuery;
  startAt(value: string): ReadableQuery;
  startAfter(value: string): ReadableQuery;
  endBefore(value: string): ReadableQuery;
  limit(documents: number): ReadableQuery;
  select(...fields: string[]): ReadableQuery;
  count(): { get(): Promise<{ data(): { readonly count: number } }> };
  get(): Promise<{ readonly docs: readonly ReadableDocument[]; readonly empty: boolean }>;
}

export interface ReadableDatabase {
  collection(name: string): ReadableQuery;
}

export type ReadableAccounts = Pick<Auth, 'getUser' | 'getUsers' | 'listUsers'>;
