// Compares the mirror with the chain: which findings follow from the documents and the accounts. Does not
// know Firestore, an RPC endpoint or a terminal, and changes nothing.

import { ACCOUNTS_PER_REQUEST, type ReadOwners } from '../../chain/accounts.ts';
import { attestationAddress } from '../../chain/attestationAddress.ts';
import { parseAttestation } from '../../records/attestation.ts';
import { parseWallet } from '../../records/wallet.ts';
import type { Entry, Finding } from './findings.ts';
import type { MirrorDocument } from './mirror.ts';

/** What was found among the next so many documents. */
export interface AuditedPart {
  readonly documents: readonly MirrorDocument[];
  readonly findings: readonly Finding[];
}

/**
 * Compares the mirror part by part; only one page is ever in memory.
 *
 * @param program base58 address of the attestation program
 * @throws ChainError when the chain could not be read; what was yielded before remains valid
 */
export async function* compareMirror(
  pages: AsyncIterable<readonly MirrorDocument[]>,
  program: string,
  readOwners: ReadOwners,
): AsyncGenerator<AuditedPart> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += ACCOUNTS_PER_REQUEST) {
      const part = page.slice(start, start + ACCOUNTS_PER_REQUEST);
      const findings = await comparePart(part, program, readOwners);
      yield { documents: part, findings };
    }
  }
}

async function comparePart(
  part: readonly MirrorDocument[],
  program: string,
  readOwners: ReadOwners,
): Promise<Finding[]> {
  const parsed = part.map((document) => parseEntry(document, program));
  const entries = parsed.flatMap((one) => ('entry' in one ? [one.entry] : []));
  const addresses = entries.map(({ onChainAddress }) => onChainAddress);
  const owners = addresses.length > 0 ? await readOwners(addresses) : [];
  const ownerOf = new Map(entries.map((entry, index) => [entry, owners[index] ?? null]));
  return parsed.flatMap((one) => {
    if ('finding' in one) return [one.finding];
    return compareEntry(one.entry, ownerOf.get(one.entry) ?? null, program);
  });
}

/** What the document alone shows: a finding, or an entry that is to be compared with the chain. */
export function parseEntry(
  document: MirrorDocument,
  program: string,
): { finding: Finding } | { entry: Entry } {
  const wallet = parseWallet(document.fields['wallet']);
  // The endpoint looks documents up by wallet: under a bad one, no lookup finds it.
  if (wallet === undefined) return { finding: unreadable(document, 'wallet') };
  const attestation = parseAttestation(document.fields);
  if ('invalidField' in attestation) {
    return { finding: unreadable(document, attestation.invalidField) };
  }

  const { attestationType, contextHashHex, status, onChainAddress } = attestation.attestation;
  const entry: Entry = {
    document: document.path,
    wallet,
    attestationType,
    contextHashHex,
    status,
    onChainAddress,
  };
  const derivedAddress = attestationAddress(program, wallet, attestationType, contextHashHex);
  // An account at a foreign address says nothing about this entry, so it is not requested.
  if (derivedAddress === onChainAddress) return { entry };
  return { finding: { kind: 'address_mismatch', ...entry, derivedAddress } };
}

function unreadable({ path, fields }: MirrorDocument, field: string): Finding {
  const reason = Object.hasOwn(fields, field)
    ? `${field} does not fit the specification (2.1)`
    : `${field} is missing`;
  return { kind: 'unreadable', document: path, field, reason };
}

/** @param owner of the account at the entry's address, or null where there is none */
export function compareEntry(entry: Entry, owner: string | null, program: string): Finding[] {
  const isPending = entry.status === 'pending';
  // A pending entry without an account is as it should be: it is awaiting the chain.
  if (owner === null) return isPending ? [] : [{ kind: 'missing_on_chain', ...entry }];
  if (owner !== program) return [{ kind: 'wrong_owner', ...entry, owner }];
  return isPending ? [{ kind: 'ready_to_confirm', ...entry }] : [];
}
