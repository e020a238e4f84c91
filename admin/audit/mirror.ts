// Owns reading the mirror as it is, page by page. Firestore reads only.

import { FieldPath, type Firestore, type Query } from 'firebase-admin/firestore';
import { ATTESTATION_FIELDS } from '../../records/attestation.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import type { Wallet } from '../../records/wallet.ts';
import type { MirrorDocument } from './compare.ts';

/** A page is all that is held of the mirror at a time. */
const PAGE_DOCUMENTS = 2_000;

const FIELDS = ['wallet', ...ATTESTATION_FIELDS];

/** The mirrored documents of one wallet, or all of them. */
export function mirrorQuery(db: Firestore, wallet: Wallet | undefined): Query {
  const attestations = db.collection(COLLECTIONS.attestations);
  return wallet === undefined ? attestations : attestations.where('wallet', '==', wallet);
}

export async function countDocuments(query: Query): Promise<number> {
  return (await query.count().get()).data().count;
}

/** Reads in the order of the document ids, so that each page begins where the last one ended. */
export async function* readPages(query: Query): AsyncGenerator<readonly MirrorDocument[]> {
  const ordered = query
    .orderBy(FieldPath.documentId())
    .select(...FIELDS)
    .limit(PAGE_DOCUMENTS);
  for (let page = ordered; ; ) {
    const { docs } = await page.get();
    yield docs.map((one) => ({ path: one.ref.path, fields: one.data() }));
    const last = docs.at(-1);
    if (last === undefined || docs.length < PAGE_DOCUMENTS) return;
    page = ordered.startAfter(last.id);
  }
}
