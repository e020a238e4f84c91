// Verification tokens in the database, as firestore.rules let their owner read and write them.

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
import { COLLECTIONS } from '../../records/collections.ts';
import { type Stored, storedTimeMs } from '../../records/storedValues.ts';
import {
  newTokenRecord,
  TOKEN_LIFETIME_MS,
  TOKEN_REVOCATION,
  tokenStateAt,
} from '../../records/verificationToken.ts';
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

/** Whether a token is old news: it expired more than a day ago, or would have. */
export const isPast = ({ createdAt }: StoredToken, nowMs: number): boolean =>
  createdAt !== undefined && createdAt + 2 * TOKEN_LIFETIME_MS < nowMs;

/** Makes a token, and returns it once the database has acknowledged its record. */
export async function storeToken(db: Firestore, wallet: Wallet, uid: string): Promise<string> {
  const token = crypto.randomUUID();
  const record = doc(db, COLLECTIONS.verificationTokens, token);
  await inTime(setDoc(record, newTokenRecord(wallet, uid, serverTimestamp())));
  return token;
}

/** @throws what the database refused it with, when the token is not revoked */
export async function revokeToken(db: Firestore, token: string): Promise<void> {
  const record = doc(db, COLLECTIONS.verificationTokens, token);
  try {
    await inTime(updateDoc(record, TOKEN_REVOCATION));
  } catch (refusal) {
    // It may have been revoked before, in another tab or by an attempt whose response was lost.
    const stored = await inTime(getDoc(record)).catch(() => undefined);
    if (tokenStateAt(stored?.data(), 0).state !== 'revoked') throw refusal;
  }
}
