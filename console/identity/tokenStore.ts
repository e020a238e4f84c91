// Verification tokens in the database, as firestore.rules let their owner read and write them.

import {
  collection,
  doc,
  type Firestore,
  getDocs,
  query,
  serverTimestamp,
  setDoc,
  updateDoc,
  where,
} from 'firebase/firestore/lite';
import { COLLECTIONS } from '../../records/collections.ts';
import { type Stored, storedTimeMs } from '../../records/storedValues.ts';
import { newTokenRecord, TOKEN_REVOCATION } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { inTime } from '../problems.ts';

/** A stored token; its state changes with time, so the fields are kept for `tokenStateAt`. */
export interface StoredToken {
  readonly token: string;
  readonly fields: Stored;
  /** Milliseconds since the epoch. */
  readonly createdAt: number | undefined;
}

/** Reads a user's own tokens, the newest first. */
export async function readTokens(db: Firestore, uid: string): Promise<StoredToken[]> {
  const own = query(collection(db, COLLECTIONS.verificationTokens), where('uid', '==', uid));
  const { docs } = await inTime(getDocs(own));
  return docs
    .map((record) => {
      const fields = record.data();
      return { token: record.id, fields, createdAt: storedTimeMs(fields['createdAt']) };
    })
    .sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
}

/** Makes a token, and returns it once the database has acknowledged its record. */
export async function storeToken(db: Firestore, wallet: Wallet, uid: string): Promise<string> {
  const token = crypto.randomUUID();
  const record = doc(db, COLLECTIONS.verificationTokens, token);
  await inTime(setDoc(record, newTokenRecord(wallet, uid, serverTimestamp())));
  return token;
}

export const revokeToken = (db: Firestore, token: string): Promise<void> =>
  inTime(updateDoc(doc(db, COLLECTIONS.verificationTokens, token), TOKEN_REVOCATION));
