// What a command may do before it asks: read. Firestore and Authentication have these types too, so nothing is wrapped,
// but the compiler refuses a write outside of `change`.

import type { Auth } from 'firebase-admin/auth';
import { type DocumentData, FieldPath, type WhereFilterOp } from 'firebase-admin/firestore';

export interface ReadableDocument {
  readonly id: string;
  readonly ref: { readonly path: string };
  data(): DocumentData;
  get(field: string): unknown;
}

export interface ReadableQuery {
  where(field: string | FieldPath, operator: WhereFilterOp, value: unknown): ReadableQuery;
  orderBy(field: string | FieldPath, direction?: 'asc' | 'desc'): ReadableQuery;
  startAfter(value: string): ReadableQuery;
  limit(documents: number): ReadableQuery;
  count(): { get(): Promise<{ data(): { readonly count: number } }> };
  get(): Promise<{ readonly docs: readonly ReadableDocument[] }>;
}

export interface ReadableDatabase {
  collection(name: string): ReadableQuery;
}

export type ReadableAccounts = Pick<Auth, 'getUser' | 'getUsers' | 'listUsers'>;

/** Reads in the order of the ids, so only one page is in memory. Documents that are created meanwhile may be missing. */
export async function* readPages(
  query: ReadableQuery,
  pageDocuments: number,
): AsyncGenerator<readonly ReadableDocument[]> {
  const first = query.orderBy(FieldPath.documentId()).limit(pageDocuments);
  for (let page = first; ; ) {
    const { docs } = await page.get();
    yield docs;
    const last = docs.at(-1);
    if (last === undefined || docs.length < pageDocuments) return;
    page = first.startAfter(last.id);
  }
}
