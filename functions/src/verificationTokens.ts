// Reads the wallet that a verification token stands for (specification, 2.4).

import { COLLECTIONS } from '../../records/collections.ts';
import { type TokenId, tokenStateAt } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { FirestoreReader } from './firestore/reader.ts';

/**
 * Reads the wallet behind a token: one document read, whether or not the token is valid.
 *
 * @param nowMs milliseconds since the epoch
 * @returns undefined unless the token is valid at `nowMs`
 */
export async function readTokenWallet(
  firestore: FirestoreReader,
  id: TokenId,
  nowMs: number,
): Promise<Wallet | undefined> {
  const stored = await firestore.readDocument(`${COLLECTIONS.verificationTokens}/${id}`);
  return tokenStateAt(stored, nowMs).wallet;
}
