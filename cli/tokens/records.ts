// Reads and writes verification tokens. Must not print, prompt or know the command line.

import {
  type BulkWriter,
  type DocumentReference,
  type FieldPath,
  type Firestore,
  GrpcStatus,
} from 'firebase-admin/firestore';
import { COLLECTIONS, storedText, storedTimeMs } from '../../records/storedValues.ts';
import { parseTokenId, TOKEN_REVOCATION, tokenStateAt } from '../../records/verificationToken.ts';
import { type ReadableDatabase, type ReadableDocument, readPages } from '../frame/reads.ts';

/** Read in a second or two. */
const TOKENS_PER_PAGE = 10_000;
/** Revoked in a second or two. */
const TOKENS_PER_WRITE = 500;

/** A token in a list. */
export type ListedToken = ReturnType<typeof listed>;

/** Which tokens to read: those of a wallet, those that a user has created, or the one with an id. */
export type TokenFilter = readonly [field: 'wallet' | 'uid' | FieldPath, value: string];

/** Reads tokens page by page, because one user can create any number of them, and reports each page as progress. */
export async function* readTokens(
  db: ReadableDatabase,
  [field, value]: TokenFilter,
  nowMs: number,
): AsyncGenerator<readonly ListedToken[]> {
  const tokens = db.collection(COLLECTIONS.verificationTokens).where(field, '==', value);
  for await (const page of readPages(tokens, TOKENS_PER_PAGE)) {
    yield page.map((record) => listed(record, nowMs));
  }
}

const listed = (record: ReadableDocument, nowMs: number) => ({
  token: record.id,
  // Lookups find a token only under the id in lower case.
  state:
    parseTokenId(record.id) === record.id ? tokenStateAt(record.data(), nowMs).state : 'unusable',
  project: storedText(record.get('project')),
  uid: storedText(record.get('uid')),
  wallet: storedText(record.get('wallet')),
  createdAt: storedTimeMs(record.get('createdAt')),
});

/** Revokes all live tokens that match page by page, so that a later run finds the rest. Yields the counts so far. */
export async function* writeTokenRevocations(
  db: Firestore,
  filter: TokenFilter,
  nowMs: number,
  isMeant: (token: ListedToken) => boolean = () => true,
): AsyncGenerator<{ readonly read: number; readonly revoked: number }> {
  let [read, revoked] = [0, 0];
  for await (const page of readTokens(db, filter, nowMs)) {
    const live = page.filter(
      (token) =>
        // An unusable one may have a creation time in the future.
        (token.state === 'valid' || token.state === 'unusable') && isMeant(token),
    );
    read += page.length;
    do {
      const next = live.splice(0, TOKENS_PER_WRITE);
      await revoke(db, next);
      revoked += next.length;
      yield { read, revoked };
    } while (live.length > 0);
  }
}

const revoke = (db: Firestore, tokens: readonly ListedToken[]): Promise<void> =>
  writeAll(db, tokens, (writer, record) =>
    writer.update(record, TOKEN_REVOCATION).catch((error) => {
      // Firestore has deleted it meanwhile, because it is old.
      if (error.code !== GrpcStatus.NOT_FOUND) throw error;
    }),
  );

/** Deletes tokens, of which one that is gone already is no failure. */
export const writeTokenDeletions = (db: Firestore, tokens: readonly ListedToken[]): Promise<void> =>
  writeAll(db, tokens, (writer, record) => writer.delete(record));

async function writeAll(
  db: Firestore,
  tokens: readonly ListedToken[],
  write: (writer: BulkWriter, record: DocumentReference) => Promise<unknown>,
): Promise<void> {
  // The default would slow down the writes to 500 a second.
  const writer = db.bulkWriter({ throttling: false });
  const records = db.collection(COLLECTIONS.verificationTokens);
  const written = tokens.map(({ token }) => write(writer, records.doc(token)));
  await Promise.all([writer.close(), ...written]);
}
