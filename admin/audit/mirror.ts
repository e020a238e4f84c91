// Reads the mirror's documents page by page or by address, and finds duplicates. If an attestation has
// several documents, the endpoint returns only one of them.

import {
  FieldPath,
  type Firestore,
  type Query,
  type QueryDocumentSnapshot,
} from 'firebase-admin/firestore';
import {
  ATTESTATION_FIELDS,
  type Attestation,
  parseAttestation,
} from '../../records/attestation.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { comparePrecedence } from '../../records/precedence.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import type { Finding } from './findings.ts';

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
export function mirrorQuery(db: Firestore, wallet: Wallet | undefined): Query {
  const attestations = db.collection(COLLECTIONS.attestations);
  return wallet === undefined ? attestations : attestations.where('wallet', '==', wallet);
}

export async function countDocuments(query: Query): Promise<number> {
  return (await query.count().get()).data().count;
}

export async function isEmpty(db: Firestore): Promise<boolean> {
  return (await mirrorQuery(db, undefined).select().limit(1).get()).empty;
}

/** Reads in the order of the document ids, so that each page begins where the previous one ended. */
export async function* readPages(query: Query): AsyncGenerator<readonly MirrorDocument[]> {
  const ordered = query
    .orderBy(FieldPath.documentId())
    .select(...FIELDS)
    .limit(PAGE_DOCUMENTS);
  for (let page = ordered; ; ) {
    const { docs } = await page.get();
    yield docs.map(toDocument);
    const last = docs.at(-1);
    if (last === undefined || docs.length < PAGE_DOCUMENTS) return;
    page = ordered.startAfter(last.id);
  }
}

/** @param addresses up to `ADDRESSES_PER_QUERY` values of `onChainAddress` */
export async function readAt(
  db: Firestore,
  addresses: readonly string[],
): Promise<readonly MirrorDocument[]> {
  const query = mirrorQuery(db, undefined).where('onChainAddress', 'in', [...addresses]);
  return (await query.select(...FIELDS).get()).docs.map(toDocument);
}

const toDocument = (snapshot: QueryDocumentSnapshot): MirrorDocument => ({
  path: snapshot.ref.path,
  fields: snapshot.data(),
});

/** A document that the endpoint can return. */
export interface ValidDocument {
  readonly path: string;
  readonly wallet: Wallet;
  readonly attestation: Attestation;
}

/**
 * Finds addresses with more than one document. It keeps only the addresses (some 90 bytes for each
 * document); the few documents with a repeated address are read again.
 */
export class RepeatedAddresses {
  readonly #seen = new Set<string>();
  readonly #repeated = new Set<string>();

  add(address: string): void {
    if (this.#seen.has(address)) this.#repeated.add(address);
    else this.#seen.add(address);
  }

  repeated(): readonly string[] {
    return [...this.#repeated];
  }
}

/**
 * Groups documents by wallet and address, as a lookup does. Documents that a lookup omits are ignored.
 *
 * @returns a finding for each group with duplicates, which names the returned document and the others
 */
export function findDuplicates(documents: readonly MirrorDocument[]): Finding[] {
  const returnable = documents.flatMap((document) => parseValidDocument(document) ?? []);
  const groups = Map.groupBy(
    returnable,
    ({ wallet, attestation }) => `${wallet} ${attestation.onChainAddress}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [returned, ...others] = group.toSorted(comparePrecedence);
    if (returned === undefined || others.length === 0) return [];
    const { path, wallet, attestation } = returned;
    const { attestationType, contextHashHex, status, onChainAddress } = attestation;
    return [
      {
        kind: 'duplicate',
        document: path,
        wallet,
        attestationType,
        contextHashHex,
        status,
        onChainAddress,
        others: others.map((other) => other.path),
      },
    ];
  });
}

export function parseValidDocument({ path, fields }: MirrorDocument): ValidDocument | undefined {
  const wallet = parseWallet(fields['wallet']);
  const parsed = parseAttestation(fields);
  if (wallet === undefined || 'invalidField' in parsed) return undefined;
  return { path, wallet, attestation: parsed.attestation };
}
