// Reads the mirror's documents page by page or by address.

import { FieldPath } from 'firebase-admin/firestore';
import { ATTESTATION_FIELDS } from '../../records/attestation.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { ADDRESS_PATTERN, type Wallet } from '../../records/wallet.ts';
import type { ReadableDatabase, ReadableDocument, ReadableQuery } from '../frame/reads.ts';

/** A document of the mirror as stored. */
export interface MirrorDocument {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Only one page of the mirror is in memory at a time. */
const PAGE_DOCUMENTS = 2_000;
/** Firestore's maximum number of values in one `in` filter. */
export const ADDRESSES_PER_QUERY = 30;

const FIELDS = ['wallet', ...ATTESTATION_FIELDS];

/** The mirrored documents of one wallet, or all of them. */
function mirrorQuery(db: ReadableDatabase, wallet?: Wallet): ReadableQuery {
  const attestations = db.collection(COLLECTIONS.attestations);
  return wallet === undefined ? attestations : attestations.where('wallet', '==', wallet);
}

export const countDocuments = async (db: ReadableDatabase, wallet?: Wallet): Promise<number> =>
  (await mirrorQuery(db, wallet).count().get()).data().count;

/** Reads in the order of the document ids, so that each page begins where the previous one ended. */
export async function* readPages(
  db: ReadableDatabase,
  wallet?: Wallet,
  size = PAGE_DOCUMENTS,
): AsyncGenerator<readonly MirrorDocument[]> {
  const ordered = mirrorQuery(db, wallet).orderBy(FieldPath.documentId());
  const first = ordered.select(...FIELDS).limit(size);
  for (let page = first; ; ) {
    const { docs } = await page.get();
    yield docs.map(toDocument);
    const last = docs.at(-1);
    if (last === undefined || docs.length < size) return;
    page = first.startAfter(last.id);
  }
}

/** @param addresses up to `ADDRESSES_PER_QUERY` values of `onChainAddress` */
export async function readAt(
  db: ReadableDatabase,
  addresses: readonly string[],
): Promise<readonly MirrorDocument[]> {
  const query = mirrorQuery(db).where('onChainAddress', 'in', [...addresses]);
  return (await query.select(...FIELDS).get()).docs.map(toDocument);
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
