// Derives findings from mirrored documents and their accounts on the chain. Pure.

import { type Attestation, parseAttestation } from '../../records/attestation.ts';
import { attestationAddress } from '../../records/attestationAddress.ts';
import { comparePrecedence } from '../../records/precedence.ts';
import { CLOCK_SKEW_MS } from '../../records/storedValues.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import type { Account } from '../chain/chainAccounts.ts';
import type { Entry, Finding } from './findings.ts';
import type { MirrorDocument } from './mirror.ts';

/** A document that the endpoint can return. */
export interface ValidDocument {
  readonly path: string;
  readonly wallet: Wallet;
  readonly attestation: Attestation;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The day of Solana's first block. */
const CHAIN_BEGAN_MS = Date.UTC(2020, 2, 16);

/** @returns the document, or the name of its first invalid field */
function parseDocument({ path, fields }: MirrorDocument): ValidDocument | { invalidField: string } {
  const wallet = parseWallet(fields['wallet']);
  // Lookups query by wallet, so none of them finds a document with an invalid one.
  if (wallet === undefined) return { invalidField: 'wallet' };
  const parsed = parseAttestation(fields);
  return 'invalidField' in parsed ? parsed : { path, wallet, attestation: parsed.attestation };
}

/**
 * Checks a document without the chain.
 *
 * @param program base58 address of the attestation program
 * @returns a finding, or the document to compare with the account at its address
 */
export function checkDocument(document: MirrorDocument, program: string): Finding | ValidDocument {
  const parsed = parseDocument(document);
  if ('invalidField' in parsed) return unreadable(document, parsed.invalidField);
  const { wallet, attestation } = parsed;
  const { attestationType, contextHashHex, onChainAddress } = attestation;
  const derivedAddress = attestationAddress(program, wallet, attestationType, contextHashHex);
  // The account at a wrong address is not this document's account, so it is not requested.
  if (derivedAddress === onChainAddress) return parsed;
  return { kind: 'address_mismatch', ...entryOf(parsed), derivedAddress };
}

function entryOf({ path, wallet, attestation }: ValidDocument): Entry {
  const { attestationType, contextHashHex, status, onChainAddress } = attestation;
  return { document: path, wallet, attestationType, contextHashHex, status, onChainAddress };
}

function unreadable({ path, fields }: MirrorDocument, field: string): Finding {
  const what = Object.hasOwn(fields, field) ? 'is not valid' : 'is missing';
  return { kind: 'unreadable', document: path, field, reason: `${field} ${what}` };
}

/**
 * Compares a document with its account, and its times with the clock.
 *
 * @param account the account at the document's address; null if there is none
 * @param now milliseconds since the epoch
 */
export const compareDocument = (
  document: ValidDocument,
  account: Account | null,
  program: string,
  now: number,
): Finding[] => [
  ...compareAccount(document, account, program, now),
  ...implausibleTimes(document, now),
];

function compareAccount(
  document: ValidDocument,
  account: Account | null,
  program: string,
  now: number,
): Finding[] {
  const entry = entryOf(document);
  const isPending = entry.status === 'pending';
  if (account === null) {
    if (!isPending) return [{ kind: 'missing_on_chain', ...entry }];
    // A pending document has no account until its attestation is on the chain.
    const isOverdue = now - Date.parse(document.attestation.createdAt) > DAY_MS;
    return isOverdue ? [{ kind: 'pending_too_long', ...entry }] : [];
  }
  const { owner, data } = account;
  if (owner !== program) return [{ kind: 'wrong_owner', ...entry, owner }];
  if (data.length === 0) return [{ kind: 'no_data', ...entry }];
  return isPending ? [{ kind: 'ready_to_confirm', ...entry }] : [];
}

/** Tolerates `CLOCK_SKEW_MS` between the clocks of different machines. */
function implausibleTimes(document: ValidDocument, now: number): Finding[] {
  const createdAt = Date.parse(document.attestation.createdAt);
  const syncedAt = Date.parse(document.attestation.syncedAt);
  const reasons = Object.entries({
    'createdAt is in the future': createdAt > now + CLOCK_SKEW_MS,
    'syncedAt is in the future': syncedAt > now + CLOCK_SKEW_MS,
    'syncedAt is before createdAt': syncedAt < createdAt - CLOCK_SKEW_MS,
    'createdAt is before the chain began': createdAt < CHAIN_BEGAN_MS,
  }).flatMap(([reason, applies]) => (applies ? [reason] : []));
  if (reasons.length === 0) return [];
  return [{ kind: 'implausible_time', ...entryOf(document), reason: reasons.join(', ') }];
}

/** @returns the latest `syncedAt` that is not in the future, in milliseconds; 0 if there is none */
export function latestSync(documents: readonly ValidDocument[], now: number): number {
  const synced = documents.map(({ attestation }) => Date.parse(attestation.syncedAt));
  return Math.max(0, ...synced.filter((ms) => ms <= now + CLOCK_SKEW_MS));
}

/**
 * Groups documents by wallet and address, as a lookup does. Documents that a lookup omits are ignored.
 *
 * @returns a finding for each group with duplicates, which names the returned document and the others
 */
export function findDuplicates(documents: readonly MirrorDocument[]): Finding[] {
  const returnable = documents.map(parseDocument).filter((one) => 'attestation' in one);
  const groups = Map.groupBy(
    returnable,
    ({ wallet, attestation }) => `${wallet} ${attestation.onChainAddress}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [returned, ...others] = group.toSorted(comparePrecedence);
    if (returned === undefined || others.length === 0) return [];
    return [{ kind: 'duplicate', ...entryOf(returned), others: others.map(({ path }) => path) }];
  });
}

const UNKNOWN_DATA =
  'an account of the program; its data was not decoded, so it may not be an attestation';
const NO_DATA = 'an account of the program without data, so it is not an attestation';

/**
 * @param addresses those of accounts that had no document when they were listed
 * @param accounts the same accounts now; null for one that was closed
 * @param documents the documents that have one of the addresses now
 */
export function findUnmirrored(
  addresses: readonly string[],
  accounts: readonly (Account | null)[],
  mirrored: ReadonlySet<string>,
  program: string,
): Finding[] {
  return addresses.flatMap((onChainAddress, index) => {
    const account = accounts[index];
    if (account?.owner !== program || mirrored.has(onChainAddress)) return [];
    const reason = account.data.length === 0 ? NO_DATA : UNKNOWN_DATA;
    return [{ kind: 'missing_in_mirror', onChainAddress, reason }];
  });
}
