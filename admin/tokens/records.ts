// Reads and writes verification tokens. Must not print, prompt or know the command line.

import { type CollectionReference, type Firestore, GrpcStatus } from 'firebase-admin/firestore';
import { COLLECTIONS } from '../../records/collections.ts';
import { storedText, storedTimeMs } from '../../records/storedValues.ts';
import {
  TOKEN_REVOCATION,
  type TokenId,
  type TokenState,
  tokenStateAt,
} from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { Failure } from '../terminal/failure.ts';

/** A token in a list; its time is in milliseconds since the epoch. */
export type ListedToken = Awaited<ReturnType<typeof readTokens>>[number];

/** Whether a token is valid, or could become valid because its creation time is in the future. */
export const isLive = ({ state }: ListedToken): boolean =>
  state === 'valid' || state === 'unusable';

/** The records of all tokens. A record's id is the token. */
const tokenCollection = (db: Firestore): CollectionReference =>
  db.collection(COLLECTIONS.verificationTokens);

/** Reads the tokens of a wallet or of a user, with their states at `nowMs`, oldest first. */
export async function readTokens(
  db: Firestore,
  owner: { readonly wallet: Wallet } | { readonly uid: string },
  nowMs: number,
) {
  const [field, value] = 'wallet' in owner ? ['wallet', owner.wallet] : ['uid', owner.uid];
  const { docs } = await tokenCollection(db).where(field, '==', value).get();
  return docs
    .map((record) => ({
      token: record.id,
      state: tokenStateAt(record.data(), nowMs).state,
      uid: storedText(record.get('uid')),
      wallet: storedText(record.get('wallet')),
      createdAt: storedTimeMs(record.get('createdAt')),
    }))
    .sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
}

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

/** Revokes tokens; tokens that were deleted in the meantime are ignored. */
export async function writeTokenRevocations(
  db: Firestore,
  tokens: readonly ListedToken[],
): Promise<void> {
  const writer = db.bulkWriter();
  const written = tokens.map(({ token }) =>
    writer.update(tokenCollection(db).doc(token), TOKEN_REVOCATION).catch((error) => {
      if (error.code !== GrpcStatus.NOT_FOUND) throw error;
    }),
  );
  await writer.close();
  await Promise.all(written);
}
