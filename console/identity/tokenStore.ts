// Reads and writes verification tokens in the database, as firestore.rules allows their owners to.

import {
  collection,
  doc,
  type Firestore,
  getDoc,
  getDocs,
  query,
  serverTimestamp,
  setDoc,
  updateDoc,
  where,
} from 'firebase/firestore/lite';
import { COLLECTIONS, type Stored, storedText, storedTimeMs } from '../../records/storedValues.ts';
import {
  newTokenRecord,
  TOKEN_REVOCATION,
  type TokenChoices,
  tokenStateAt,
} from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { withTimeout } from '../problems.ts';

/** A stored token. Its state changes with time, so the fields are kept for `tokenStateAt`. */
export interface StoredToken extends TokenChoices {
  readonly token: string;
  readonly fields: Stored;
  readonly wallet: string | undefined;
  readonly createdAt: number | undefined;
}

/** Reads a user's own tokens, newest first. */
export async function readTokens(db: Firestore, uid: string): Promise<StoredToken[]> {
  const own = query(collection(db, COLLECTIONS.verificationTokens), where('uid', '==', uid));
  const { docs } = await withTimeout(getDocs(own));
  return docs
    .map((record) => ({
      token: record.id,
      fields: record.data(),
      wallet: storedText(record.get('wallet')),
      project: storedText(record.get('project')),
      note: storedText(record.get('note')),
      createdAt: storedTimeMs(record.get('createdAt')),
    }))
    .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
}

export const newToken = (): string => crypto.randomUUID();

/** Stores a new token. Returns once the database has confirmed its record. */
export async function storeToken(
  db: Firestore,
  token: string,
  wallet: Wallet,
  uid: string,
  choices: TokenChoices,
): Promise<void> {
  const record = doc(db, COLLECTIONS.verificationTokens, token);
  await withTimeout(setDoc(record, newTokenRecord(wallet, uid, serverTimestamp(), choices)));
}

/** @throws the database's error if the token is not revoked */
export async function revokeToken(db: Firestore, token: string): Promise<void> {
  const record = doc(db, COLLECTIONS.verificationTokens, token);
  try {
    await withTimeout(updateDoc(record, TOKEN_REVOCATION));
  } catch (refusal) {
    // Another tab, or an attempt whose response was lost, may have revoked it already.
    const stored = await withTimeout(getDoc(record)).catch(() => undefined);
    if (tokenStateAt(stored?.data(), 0).state !== 'revoked') throw refusal;
  }
}
