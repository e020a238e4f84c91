// Reads the mirror's documents page by page or by address, and when it was last synced.

import { HOUR_MS } from '../../contract/endpoint.ts';
import { ADDRESS_PATTERN } from '../../contract/result.ts';
import { CLOCK_SKEW_MS, COLLECTIONS, parseTime, storedTimeMs } from '../../records/storedValues.ts';
import type { Wallet } from '../../records/wallet.ts';
import {
  type ReadableDatabase,
  type ReadableDocument,
  type ReadableQuery,
  readPages,
} from '../frame/reads.ts';

/** A document of the mirror as stored. */
export interface MirrorDocument {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Only one page of the mirror is in memory at a time. */
const PAGE_DOCUMENTS = 2_000;
/** Firestore's maximum number of values in one `in` filter. */
export const ADDRESSES_PER_QUERY = 30;

/** The mirrored documents of one wallet, or all of them. */
function mirrorQuery(db: ReadableDatabase, wallet?: Wallet): ReadableQuery {
  const attestations = db.collection(COLLECTIONS.attestations);
  return wallet === undefined ? attestations : attestations.where('wallet', '==', wallet);
}

export const countDocuments = async (db: ReadableDatabase, wallet?: Wallet): Promise<number> =>
  (await mirrorQuery(db, wallet).count().get()).data().count;

export async function* readMirror(
  db: ReadableDatabase,
  wallet?: Wallet,
): AsyncGenerator<readonly MirrorDocument[]> {
  for await (const page of readPages(mirrorQuery(db, wallet), PAGE_DOCUMENTS)) {
    yield page.map(toDocument);
  }
}

/** @param addresses up to `ADDRESSES_PER_QUERY` values of `onChainAddress` */
export async function readAt(
  db: ReadableDatabase,
  addresses: readonly string[],
): Promise<readonly MirrorDocument[]> {
  const { docs } = await mirrorQuery(db).where('onChainAddress', 'in', addresses).get();
  return docs.map(toDocument);
}

const toDocument = (snapshot: ReadableDocument): MirrorDocument => ({
  path: snapshot.ref.path,
  fields: snapshot.data(),
});

export const addressesOf = (documents: readonly MirrorDocument[]): string[] =>
  documents.flatMap(({ fields: { onChainAddress } }) =>
    typeof onChainAddress === 'string' && ADDRESS_PATTERN.test(onChainAddress)
      ? [onChainAddress]
      : [],
  );

/** Texts are ordered by their characters, so those of other time zones may be behind up to this much. */
const ZONE_MAX_MS = 14 * HOUR_MS;
const TEXTS_READ = 50;

/** @returns the latest `syncedAt` that is not in the future, in milliseconds; undefined if there is none */
export async function readNewestSync(
  db: ReadableDatabase,
  nowMs: number,
): Promise<number | undefined> {
  const latest = nowMs + CLOCK_SKEW_MS;
  // A query returns only values of the type that it compares with.
  const queries = [
    [new Date(latest), 1] as const,
    [new Date(latest + ZONE_MAX_MS).toISOString(), TEXTS_READ] as const,
  ].map(([limit, count]) =>
    mirrorQuery(db).where('syncedAt', '<=', limit).orderBy('syncedAt', 'desc').limit(count).get(),
  );
  const found = (await Promise.all(queries)).flatMap(({ docs }) => docs);
  const times = found
    .map((each) => storedTimeMs(each.get('syncedAt')) ?? parseTime(String(each.get('syncedAt'))))
    .filter((ms) => ms <= latest);
  return times.length === 0 ? undefined : Math.max(...times);
}
