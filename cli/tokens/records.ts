// Reads and writes verification tokens. Must not print, prompt or know the command line.

import {
  type CollectionReference,
  FieldPath,
  type Firestore,
  GrpcStatus,
} from 'firebase-admin/firestore';
import { COLLECTIONS } from '../../records/collections.ts';
import { storedText, storedTimeMs } from '../../records/storedValues.ts';
import {
  TOKEN_REVOCATION,
  type TokenId,
  type TokenState,
  tokenStateAt,
} from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { ReadableDatabase, ReadableDocument } from '../frame/reads.ts';
import { Failure } from '../terminal/failure.ts';

/** Read in a second or two. */
const TOKENS_PER_PAGE = 10_000;
/** Revoked in a second or two. */
const TOKENS_PER_WRITE = 500;

/** A token in a list; its time is in milliseconds since the epoch. */
export type ListedToken = ReturnType<typeof listed>;

/** The records of all tokens. A record's id is the token. */
const tokenCollection = (db: Firestore): CollectionReference =>
  db.collection(COLLECTIONS.verificationTokens);

/** Whose tokens to read: all of a wallet, or all that a user has created. */
export type TokenOwner = { readonly wallet: Wallet } | { readonly uid: string };

/**
 * Reads tokens page by page, because one user can create any number of them, and reports each page as progress.
 * Tokens that are created meanwhile may be missing.
 */
export async function* readTokens(
  db: ReadableDatabase,
  owner: TokenOwner,
  nowMs: number,
  pageTokens = TOKENS_PER_PAGE,
): AsyncGenerator<readonly ListedToken[]> {
  const [field, value] = 'wallet' in owner ? ['wallet', owner.wallet] : ['uid', owner.uid];
  const ordered = db
    .collection(COLLECTIONS.verificationTokens)
    .where(field, '==', value)
    .orderBy(FieldPath.documentId())
    .limit(pageTokens);
  for (let page = ordered; ; ) {
    const { docs } = await page.get();
    yield docs.map((record) => listed(record, nowMs));
    const last = docs.at(-1);
    if (last === undefined || docs.length < pageTokens) return;
    page = ordered.startAfter(last.id);
  }
}

const listed = (record: ReadableDocument, nowMs: number) => ({
  token: record.id,
  state: tokenStateAt(record.data(), nowMs).state,
  uid: storedText(record.get('uid')),
  wallet: storedText(record.get('wallet')),
  createdAt: storedTimeMs(record.get('createdAt')),
});

/**
 * Revokes a token, even if it has expired.
 *
 * @returns the state of the token before the change
 * @throws Failure when the token does not exist
 */
export async function writeTokenRevocation(
  db: Firestore,
  token: TokenId,
  nowMs: number,
): Promise<TokenState> {
  return await db.runTransaction(async (transaction) => {
    const record = await transaction.get(tokenCollection(db).doc(token));
    if (!record.exists)
      throw new Failure('The token does not exist. Check it, or list tokens with `tokens list`.');
    const { state } = tokenStateAt(record.data(), nowMs);
    if (state !== 'revoked') transaction.update(record.ref, TOKEN_REVOCATION);
    return state;
  });
}

/** Revokes all live tokens of an owner page by page, so that a later run finds the rest. Yields the counts so far. */
export async function* writeTokenRevocations(
  db: Firestore,
  owner: TokenOwner,
  nowMs: number,
  kept?: Wallet,
): AsyncGenerator<{ readonly read: number; readonly revoked: number }> {
  let [read, revoked] = [0, 0];
  for await (const page of readTokens(db, owner, nowMs)) {
    const live = page.filter(
      ({ state, wallet }) =>
        // An unusable one may have a creation time in the future.
        (state === 'valid' || state === 'unusable') && (kept === undefined || wallet !== kept),
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

async function revoke(db: Firestore, tokens: readonly ListedToken[]): Promise<void> {
  // The default would slow down the revocations to 500 a second.
  const writer = db.bulkWriter({ throttling: false });
  const written = tokens.map(({ token }) =>
    writer.update(tokenCollection(db).doc(token), TOKEN_REVOCATION).catch((error) => {
      // Firestore has deleted it meanwhile, because it is old.
      if (error.code !== GrpcStatus.NOT_FOUND) throw error;
    }),
  );
  await Promise.all([writer.close(), ...written]);
}
