// Derives findings from mirrored documents and their accounts on the chain. Pure.

import { attestationAddress } from '../../contract/attestationAddress.ts';
import { DAY_MS } from '../../contract/endpoint.ts';
import type { Attestation } from '../../contract/result.ts';
import { dedupe, parseAttestation } from '../../records/attestation.ts';
import { CLOCK_SKEW_MS } from '../../records/storedValues.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import type { Account } from '../chain/chainAccounts.ts';
import type { Finding, FindingKind } from './findings.ts';
import type { MirrorDocument } from './mirror.ts';

/** A document that the endpoint can return. */
export interface ValidDocument {
  readonly path: string;
  readonly wallet: Wallet;
  readonly attestation: Attestation;
}

/** The day of Solana's first block. */
const CHAIN_BEGAN_MS = Date.UTC(2020, 2, 16);

const findingOf = (
  kind: FindingKind,
  { path, wallet, attestation }: ValidDocument,
  reason: string,
): Finding => ({ kind, document: path, wallet, ...attestation, reason });

/** @returns the document, or a finding that names its first invalid field */
function parseDocument({ path, fields }: MirrorDocument): ValidDocument | Finding {
  const wallet = parseWallet(fields['wallet']);
  // Lookups query by wallet, so none of them finds a document with an invalid one.
  const parsed = wallet ? parseAttestation(fields) : { invalidField: 'wallet' };
  if (wallet && 'attestation' in parsed) return { path, wallet, attestation: parsed.attestation };
  const field = 'invalidField' in parsed ? parsed.invalidField : '';
  const what = Object.hasOwn(fields, field) ? 'is not valid' : 'is missing';
  return { kind: 'unreadable', document: path, reason: `${field} ${what}` };
}

/**
 * Checks a document without the chain.
 *
 * @param program base58 address of the attestation program
 * @returns a finding, or the document to compare with the account at its address
 */
export function checkDocument(document: MirrorDocument, program: string): Finding | ValidDocument {
  const parsed = parseDocument(document);
  if ('kind' in parsed) return parsed;
  const { attestationType, contextHashHex, onChainAddress } = parsed.attestation;
  const derived = attestationAddress(program, parsed.wallet, attestationType, contextHashHex);
  // The account at a wrong address is not this document's account, so it is not requested.
  if (derived === onChainAddress) return parsed;
  const finding = findingOf('address_mismatch', parsed, `derives to ${derived}`);
  return { ...finding, derivedAddress: derived };
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
): Finding[] =>
  [...accountFaults(document, account, program, now), ...implausibleTimes(document, now)].map(
    ([kind, reason]) => findingOf(kind, document, reason),
  );

type Fault = readonly [kind: FindingKind, reason: string];

function accountFaults(
  { attestation: { status, createdAt } }: ValidDocument,
  account: Account | null,
  program: string,
  now: number,
): Fault[] {
  const isPending = status === 'pending';
  if (account === null) {
    if (!isPending) return [['missing_on_chain', 'confirmed, but the chain has no account']];
    // A pending document has no account until its attestation is on the chain.
    const isOverdue = now - Date.parse(createdAt) > DAY_MS;
    return isOverdue ? [['pending_too_long', 'pending for more than a day, without account']] : [];
  }
  const { owner, data } = account;
  if (owner !== program) return [['wrong_owner', `owned by ${owner}`]];
  if (data.length === 0) return [['no_data', 'the account has no data']];
  return isPending ? [['ready_to_confirm', 'pending, but the chain has the account']] : [];
}

/** Tolerates `CLOCK_SKEW_MS` between the clocks of different machines. */
function implausibleTimes({ attestation }: ValidDocument, now: number): Fault[] {
  const createdAt = Date.parse(attestation.createdAt);
  const syncedAt = Date.parse(attestation.syncedAt);
  const reasons = Object.entries({
    'createdAt is in the future': createdAt > now + CLOCK_SKEW_MS,
    'syncedAt is in the future': syncedAt > now + CLOCK_SKEW_MS,
    'syncedAt is before createdAt': syncedAt < createdAt - CLOCK_SKEW_MS,
    'createdAt is before the chain began': createdAt < CHAIN_BEGAN_MS,
  }).flatMap(([reason, applies]) => (applies ? [reason] : []));
  return reasons.length > 0 ? [['implausible_time', reasons.join(', ')]] : [];
}

/** @returns the latest `syncedAt` that is not in the future, in milliseconds; 0 if there is none */
export function latestSync(documents: readonly ValidDocument[], now: number): number {
  const synced = documents.map(({ attestation }) => Date.parse(attestation.syncedAt));
  return Math.max(0, ...synced.filter((ms) => ms <= now + CLOCK_SKEW_MS));
}

/** Finds documents that a lookup leaves out for another one of the same wallet and address. */
export function findDuplicates(documents: readonly MirrorDocument[]): Finding[] {
  const returnable = documents.map(parseDocument).filter((one) => 'attestation' in one);
  const wallets = Map.groupBy(returnable, ({ wallet }) => wallet);
  return [...wallets.values()].flatMap((ofWallet) =>
    dedupe(ofWallet).copies.map(({ copy, keptInstead }) =>
      findingOf('duplicate', copy, `the endpoint returns ${keptInstead.path}`),
    ),
  );
}

/**
 * @param addresses those of accounts that had no document when they were listed
 * @param accounts the same accounts now; null for one that was closed
 * @param mirrored the addresses that have a document now
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
    const reason =
      account.data.length === 0
        ? 'an account of the program without data, so it is not an attestation'
        : 'an account of the program; its data was not decoded, so it may not be an attestation';
    return [{ kind: 'missing_in_mirror', onChainAddress, reason }];
  });
}
