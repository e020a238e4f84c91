// Finds attestations with several documents, and which of these the endpoint returns. Pure.

import { type Attestation, parseAttestation } from '../../records/attestation.ts';
import { comparePrecedence } from '../../records/precedence.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import type { MirrorDocument } from './compare.ts';
import type { Finding } from './findings.ts';

/** A document that the endpoint can return. */
export interface Returnable {
  readonly path: string;
  readonly wallet: Wallet;
  readonly attestation: Attestation;
}

/**
 * The addresses with more than one document. It keeps one address for each document, some 90 bytes:
 * the documents are read again where there are several.
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
 * Groups documents by wallet and address, as a lookup sees them. One that it leaves out is in none.
 *
 * @returns a finding for each group of several, which names the returned one and the others
 */
export function findDuplicates(documents: readonly MirrorDocument[]): Finding[] {
  const returnable = documents.flatMap((document) => parseReturnable(document) ?? []);
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
        ...{ wallet, attestationType, contextHashHex, status, onChainAddress },
        others: others.map((other) => other.path),
      },
    ];
  });
}

export function parseReturnable({ path, fields }: MirrorDocument): Returnable | undefined {
  const wallet = parseWallet(fields['wallet']);
  const parsed = parseAttestation(fields);
  if (wallet === undefined || 'invalidField' in parsed) return undefined;
  return { path, wallet, attestation: parsed.attestation };
}
