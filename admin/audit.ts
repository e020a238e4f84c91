// Owns the audit: which findings a page of the mirror and the chain's answers make. Does not know
// Firestore, an RPC endpoint or a terminal, and changes nothing.

import { ACCOUNTS_PER_REQUEST, type ReadOwners } from '../chain/accounts.ts';
import { attestationAddress } from '../chain/attestationAddress.ts';
import { parseAttestation } from '../functions/src/attestations.ts';
import { parseWallet } from '../functions/src/wallet.ts';
import type { Entry, Finding } from './auditFindings.ts';

/** A document of the mirror, as it is stored. */
export interface MirrorDocument {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What was found among the next so many documents. */
export interface AuditedPart {
  readonly documents: number;
  readonly findings: readonly Finding[];
}

/**
 * Audits the mirror part by part; only one page is ever held.
 *
 * @param program base58 address of the attestation program
 * @throws ChainError when the chain could not be asked; what was yielded before stands
 */
export async function* audit(
  pages: AsyncIterable<readonly MirrorDocument[]>,
  program: string,
  readOwners: ReadOwners,
): AsyncGenerator<AuditedPart> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += ACCOUNTS_PER_REQUEST) {
      const part = page.slice(start, start + ACCOUNTS_PER_REQUEST);
      const findings = await auditPart(part, program, readOwners);
      yield { documents: part.length, findings };
    }
  }
}

async function auditPart(
  part: readonly MirrorDocument[],
  program: string,
  readOwners: ReadOwners,
): Promise<Finding[]> {
  const examined = part.map((document) => examine(document, program));
  const entries = examined.flatMap((one) => ('entry' in one ? [one.entry] : []));
  const addresses = entries.map(({ onChainAddress }) => onChainAddress);
  const owners = addresses.length > 0 ? await readOwners(addresses) : [];
  const ownerOf = new Map(entries.map((entry, index) => [entry, owners[index] ?? null]));
  return examined.flatMap((one) => {
    if ('finding' in one) return [one.finding];
    return judge(one.entry, ownerOf.get(one.entry) ?? null, program);
  });
}

/** What the document alone tells: a finding, or an entry about which the chain is to be asked. */
function examine(
  document: MirrorDocument,
  program: string,
): { finding: Finding } | { entry: Entry } {
  const wallet = parseWallet(document.fields['wallet']);
  // The endpoint looks documents up by wallet: under a bad one, none can ask for it.
  if (wallet === undefined) return { finding: unreadable(document, 'wallet') };
  const parsed = parseAttestation(document.fields);
  if ('misfit' in parsed) return { finding: unreadable(document, parsed.misfit) };

  const { attestationType, contextHashHex, status, onChainAddress } = parsed.attestation;
  const entry: Entry = {
    document: document.path,
    wallet,
    attestationType,
    contextHashHex,
    status,
    onChainAddress,
  };
  const derivedAddress = attestationAddress(program, wallet, attestationType, contextHashHex);
  // Whatever is at a foreign address says nothing about this entry, so the chain is not asked.
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
function judge(entry: Entry, owner: string | null, program: string): Finding[] {
  const isPending = entry.status === 'pending';
  // A pending entry without an account is as it should be: it still awaits the chain.
  if (owner === null) return isPending ? [] : [{ kind: 'missing_on_chain', ...entry }];
  if (owner !== program) return [{ kind: 'wrong_owner', ...entry, owner }];
  return isPending ? [{ kind: 'ready_to_confirm', ...entry }] : [];
}
