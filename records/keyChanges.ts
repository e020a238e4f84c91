// What is written to the records of API keys, by the command line and the admin area alike. Whoever writes
// passes a transaction of their own SDK. firestore.rules allows nothing else to an admin.

import {
  hashApiKey,
  type KeyDetails,
  keyId,
  keyStateAt,
  parseKeyRecord,
  type StoredKey,
} from './apiKey.ts';
import type { Stored } from './storedValues.ts';

/** A transaction on the records of keys, whose ids are hashes. All reads come before the first write. */
export interface KeyTransaction {
  read(hash: string): Promise<Stored | undefined>;
  create(hash: string, record: object): void;
  update(hash: string, fields: object): void;
  /** The SDK's server timestamp. */
  readonly now: unknown;
  /** The SDK's value that removes a field. */
  readonly none: unknown;
  /** The database's clock. */
  readonly nowMs: number;
  /** An admin's uid, or the account that the command line ran as. */
  readonly actor: string;
}

/** A key in whose place another one is created, and when it ends at the latest. Without an end, it stays as it is. */
export interface Replaced {
  readonly hash: string;
  readonly end?: number | undefined;
}

/** The part of a change that differs from what a key has, or replaces a value of a wrong type. */
export function differences(key: StoredKey, change: KeyDetails): KeyDetails {
  const isSame = ([name, value]: readonly [string, unknown]): boolean =>
    !(name in key.faults) && JSON.stringify(value) === JSON.stringify(Reflect.get(key, name));
  return Object.fromEntries(Object.entries(change).filter((one) => !isSame(one)));
}

/** @param none stored for what is undefined, which is left out without it */
const storedDetails = (details: KeyDetails, none?: unknown): object => {
  const stored = Object.entries(details).map(([name, value]) => {
    const shown = name === 'expiresAt' && value !== undefined ? new Date(Number(value)) : value;
    return [name, shown ?? none];
  });
  return Object.fromEntries(stored.filter(([, value]) => value !== undefined));
};

/** A new key's record. It stores only the last 4 characters of the key itself. */
export const newKeyRecord = <Time>(
  key: string,
  project: string,
  createdAt: Time,
  createdBy: string,
  details: KeyDetails = {},
) => ({
  active: true,
  project,
  hint: key.slice(-4),
  createdAt,
  createdBy,
  ...storedDetails(details),
});

/** The fields that revoking a key changes. */
export const keyRevocation = <Time>(revokedAt: Time, revokedBy: string) => ({
  active: false,
  revokedAt,
  revokedBy,
});

const isActive = (stored: Stored | undefined, nowMs: number): stored is Stored =>
  stored !== undefined && keyStateAt(parseKeyRecord(stored), nowMs) === 'active';

const authored = ({ now, actor }: KeyTransaction) => ({ changedAt: now, changedBy: actor });

/** Creates a key. A repetition, after a reply that was lost, changes nothing. The end of a replaced key is never put off. */
export async function createKey(
  transaction: KeyTransaction,
  key: string,
  project: string,
  details: KeyDetails,
  replaced?: Replaced,
): Promise<void> {
  const hash = hashApiKey(key);
  if (await transaction.read(hash)) return;
  const old = replaced && (await transaction.read(replaced.hash));
  // Somebody else may have revoked it.
  if (replaced && isActive(old, transaction.nowMs)) {
    const { expiresAt = Infinity } = parseKeyRecord(old);
    const { end = Infinity } = replaced;
    transaction.update(replaced.hash, {
      replacedBy: keyId(hash),
      ...(end < expiresAt && { expiresAt: new Date(end) }),
      ...authored(transaction),
    });
  }
  const { now, actor } = transaction;
  transaction.create(hash, newKeyRecord(key, project, now, actor, details));
}

/** Changes an active key. @returns whether the key is active, without which nothing is changed */
export async function changeKey(
  transaction: KeyTransaction,
  hash: string,
  change: KeyDetails,
): Promise<boolean> {
  if (!isActive(await transaction.read(hash), transaction.nowMs)) return false;
  const fields = storedDetails(change, transaction.none);
  transaction.update(hash, { ...fields, ...authored(transaction) });
  return true;
}

/** Revokes an active key. @returns whether it was active, so that the first author and the first end stay */
export async function revokeKey(transaction: KeyTransaction, hash: string): Promise<boolean> {
  if (!isActive(await transaction.read(hash), transaction.nowMs)) return false;
  transaction.update(hash, keyRevocation(transaction.now, transaction.actor));
  return true;
}
