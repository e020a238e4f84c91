// Derives findings from mirrored documents and their accounts on the chain. Changes nothing, and must
// not depend on Firestore, an RPC endpoint or a terminal.

import { parseAttestation } from '../../records/attestation.ts';
import { CLOCK_SKEW_MS } from '../../records/verificationToken.ts';
import { parseWallet } from '../../records/wallet.ts';
import { ACCOUNTS_PER_REQUEST, type Account, type ReadAccounts } from '../chain/accounts.ts';
import { attestationAddress } from '../chain/attestationAddress.ts';
import type { Entry, Finding } from './findings.ts';
import type { MirrorDocument } from './mirror.ts';

/** The program and the time to compare with. */
export interface ComparedScope {
  /** Base58 address of the attestation program. */
  readonly program: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: () => number;
}

/** The times of a document, in milliseconds since the epoch. */
export interface Times {
  readonly createdAt: number;
  readonly syncedAt: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The day of Solana's first block. */
const CHAIN_BEGAN_MS = Date.UTC(2020, 2, 16);

/** A batch of documents and their findings. */
interface AuditedBatch {
  readonly documents: readonly MirrorDocument[];
  readonly findings: readonly Finding[];
}

/**
 * Compares the mirror in batches, with only one page in memory at a time.
 *
 * @throws ChainError when the chain could not be read; batches that were already yielded remain valid
 */
export async function* compareMirror(
  pages: AsyncIterable<readonly MirrorDocument[]>,
  scope: ComparedScope,
  readAccounts: ReadAccounts,
): AsyncGenerator<AuditedBatch> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += ACCOUNTS_PER_REQUEST) {
      const documents = page.slice(start, start + ACCOUNTS_PER_REQUEST);
      yield { documents, findings: await compareBatch(documents, scope, readAccounts) };
    }
  }
}

async function compareBatch(
  documents: readonly MirrorDocument[],
  { program, nowMs }: ComparedScope,
  readAccounts: ReadAccounts,
): Promise<Finding[]> {
  const parsed = documents.map((document) => parseEntry(document, program));
  const entries = parsed.flatMap((one) => ('entry' in one ? [one.entry] : []));
  const addresses = entries.map(({ onChainAddress }) => onChainAddress);
  const accounts = addresses.length > 0 ? await readAccounts(addresses) : [];
  const accountOf = new Map(entries.map((entry, index) => [entry, accounts[index] ?? null]));
  const now = nowMs();
  return parsed.flatMap((one) => {
    if ('finding' in one) return [one.finding];
    const { entry, times } = one;
    const account = accountOf.get(entry) ?? null;
    return [
      ...compareEntry(entry, account, program),
      ...overduePending(entry, times, account, now),
      ...implausibleTimes(entry, times, now),
    ];
  });
}

/** Checks a document without the chain. @returns a finding, or the entry to compare with the chain */
export function parseEntry(
  document: MirrorDocument,
  program: string,
): { finding: Finding } | { entry: Entry; times: Times } {
  const wallet = parseWallet(document.fields['wallet']);
  // Lookups query by wallet, so none of them finds a document with an invalid one.
  if (wallet === undefined) return { finding: unreadable(document, 'wallet') };
  const attestation = parseAttestation(document.fields);
  if ('invalidField' in attestation) {
    return { finding: unreadable(document, attestation.invalidField) };
  }

  const { attestationType, contextHashHex, status, onChainAddress, ...times } =
    attestation.attestation;
  const entry: Entry = {
    document: document.path,
    wallet,
    attestationType,
    contextHashHex,
    status,
    onChainAddress,
  };
  const derivedAddress = attestationAddress(program, wallet, attestationType, contextHashHex);
  // The account at a wrong address is not this entry's account, so it is not requested.
  if (derivedAddress === onChainAddress) return { entry, times: timesOf(times) };
  return { finding: { kind: 'address_mismatch', ...entry, derivedAddress } };
}

const timesOf = ({ createdAt, syncedAt }: { createdAt: string; syncedAt: string }): Times => ({
  createdAt: Date.parse(createdAt),
  syncedAt: Date.parse(syncedAt),
});

function unreadable({ path, fields }: MirrorDocument, field: string): Finding {
  const reason = Object.hasOwn(fields, field)
    ? `${field} is not valid (specification, 2.1)`
    : `${field} is missing`;
  return { kind: 'unreadable', document: path, field, reason };
}

/** @param account the account at the entry's address; null if there is none */
export function compareEntry(entry: Entry, account: Account | null, program: string): Finding[] {
  const isPending = entry.status === 'pending';
  // A pending entry has no account until its attestation is on the chain.
  if (account === null) return isPending ? [] : [{ kind: 'missing_on_chain', ...entry }];
  const { owner, data } = account;
  if (owner !== program) return [{ kind: 'wrong_owner', ...entry, owner }];
  if (data.length === 0) return [{ kind: 'no_data', ...entry }];
  return isPending ? [{ kind: 'ready_to_confirm', ...entry }] : [];
}

function overduePending(
  entry: Entry,
  { createdAt }: Times,
  account: Account | null,
  nowMs: number,
): Finding[] {
  const isOverdue = entry.status === 'pending' && account === null && nowMs - createdAt > DAY_MS;
  return isOverdue ? [{ kind: 'pending_too_long', ...entry }] : [];
}

/** Tolerates `CLOCK_SKEW_MS` between the clocks of different machines. */
function implausibleTimes(entry: Entry, { createdAt, syncedAt }: Times, nowMs: number): Finding[] {
  const reasons = [
    ...(createdAt > nowMs + CLOCK_SKEW_MS ? ['createdAt is in the future'] : []),
    ...(syncedAt > nowMs + CLOCK_SKEW_MS ? ['syncedAt is in the future'] : []),
    ...(syncedAt < createdAt - CLOCK_SKEW_MS ? ['syncedAt is before createdAt'] : []),
    ...(createdAt < CHAIN_BEGAN_MS ? ['createdAt is before the chain began'] : []),
  ];
  if (reasons.length === 0) return [];
  return [{ kind: 'implausible_time', ...entry, reason: reasons.join(', ') }];
}
