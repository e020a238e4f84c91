// Tests the limits of the audit's rules, and its warnings. test/audit/audit.test.ts plants every kind of finding.

import { describe, expect, test } from 'vitest';
import { newState } from '../../admin/audit/audit.ts';
import { compareDocuments, findDuplicates } from '../../admin/audit/compare.ts';
import type { Tally } from '../../admin/audit/findings.ts';
import type { MirrorDocument } from '../../admin/audit/mirror.ts';
import { warningsOf } from '../../admin/audit/run.ts';
import { attestationAddress } from '../../admin/chain/accounts.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import { randomAddress, randomContextHash } from '../support/random.ts';

const program = randomAddress();
const NOW = '2026-11-01T11:00:00.000Z';
const SCOPE = { program, nowMs: () => Date.parse(NOW) };
const at = '2026-11-01T10:00:00.000Z';

function validDocument(change: Record<string, unknown> = {}): MirrorDocument {
  const wallet = randomAddress();
  const contextHashHex = randomContextHash();
  const onChainAddress = attestationAddress(program, wallet, 1, contextHashHex);
  return {
    path: `attestations/${onChainAddress}`,
    fields: {
      ...attestationRecord({ wallet, attestationType: 1, contextHashHex }),
      ...{ onChainAddress, createdAt: at, syncedAt: at },
      ...change,
    },
  };
}

/** Compares documents with a chain whose accounts all have this owner; null for a chain without accounts. */
async function compare(documents: MirrorDocument[], owner: string | null = program) {
  const requests: (readonly string[])[] = [];
  const outcome = await compareDocuments(documents, SCOPE, async (addresses) => {
    requests.push(addresses);
    return addresses.map(() => (owner === null ? null : { owner, data: Buffer.alloc(40) }));
  });
  return { requests, ...outcome };
}

test.each([
  ['24 hours', '2026-10-31T11:00:00.000Z', []],
  ['more than 24 hours', '2026-10-31T10:59:59.999Z', ['pending_too_long']],
])('pending for %s', async (_, createdAt, kinds) => {
  const document = validDocument({ status: 'pending', createdAt });
  const { findings } = await compare([document], null);
  expect(findings.map(({ kind }) => kind)).toEqual(kinds);
});

test.each([
  ['synced 5 minutes from now', { syncedAt: '2026-11-01T11:05:00.000Z' }, undefined],
  [
    'synced more than 5 minutes from now',
    { syncedAt: '2026-11-01T11:05:00.001Z' },
    'syncedAt is in the future',
  ],
  [
    'created and synced in 2036',
    { createdAt: '2036-11-01T11:00:00.000Z', syncedAt: '2036-11-01T11:00:00.000Z' },
    'createdAt is in the future, syncedAt is in the future',
  ],
  ['synced 5 minutes before its creation', { syncedAt: '2026-11-01T09:55:00.000Z' }, undefined],
  [
    'synced more than 5 minutes before its creation',
    { syncedAt: '2026-11-01T09:54:59.999Z' },
    'syncedAt is before createdAt',
  ],
  [
    'created in 1970',
    { createdAt: '1970-01-01T00:00:00.000Z' },
    'createdAt is before the chain began',
  ],
])('times: %s', async (_, times, reason) => {
  const { findings } = await compare([validDocument(times)]);
  expect(findings).toMatchObject(reason ? [{ kind: 'implausible_time', reason }] : []);
});

test('only the accounts of valid documents are requested, in order', async () => {
  const { wallet: _, ...withoutWallet } = validDocument().fields;
  const documents = [
    validDocument(),
    validDocument({ status: 'minted' }),
    { path: 'attestations/x', fields: withoutWallet },
    validDocument({ onChainAddress: randomAddress() }),
    validDocument(),
  ];
  const { findings, requests } = await compare(documents);
  const addresses = documents.map(({ fields }) => fields['onChainAddress']);
  expect(requests).toEqual([[addresses[0], addresses[4]]]);
  expect(findings).toMatchObject([
    { field: 'status', reason: 'status is not valid' },
    { field: 'wallet', reason: 'wallet is missing' },
    { kind: 'address_mismatch', derivedAddress: documents[3]?.path.split('/')[1] },
  ]);
});

test('the latest sync is that of a valid document, and not in the future', async () => {
  const synced = ['2026-11-01T10:30:00Z', '2026-11-01T11:05:00.001Z', '2026-11-01T10:20:00Z'];
  const documents = synced.map((syncedAt) => validDocument({ syncedAt }));
  documents.push(validDocument({ syncedAt: '2026-11-01T10:40:00Z', status: 'minted' }));
  expect((await compare(documents)).syncedMs).toBe(Date.parse('2026-11-01T10:30:00Z'));
  expect((await compare([])).syncedMs).toBe(0);
});

describe('duplicates', () => {
  const wallet = randomAddress();
  const record = attestationRecord({ wallet, attestationType: 0 });

  /** Creates a document of the same attestation. */
  const copy = (id: string, change: Record<string, unknown> = {}): MirrorDocument => ({
    path: id,
    fields: { ...record, createdAt: at, syncedAt: at, ...change },
  });

  test.each([
    ['three equal ones, by their ids', [copy('c'), copy('a'), copy('b')], ['a', 'b', 'c']],
    ['another wallet', [copy('a'), copy('b', { wallet: record.onChainAddress })], []],
    ['another address', [copy('a'), copy('b', { onChainAddress: wallet })], []],
  ])('%s', (_, documents, group) => {
    const found = findDuplicates(documents).flatMap((one) =>
      one.kind === 'duplicate' ? [one.document, ...one.others] : [],
    );
    expect(found).toEqual(group);
  });
});

describe('warnings', () => {
  const state = (documents: number, findings: Tally, accounts: number | null = null) => ({
    ...newState(),
    ...{ documents, accounts, findings },
  });

  test.each([
    ['a fifth of the documents', state(100, { missing_on_chain: 20 }), []],
    ['more than a fifth', state(100, { missing_on_chain: 21 }), ['missing_on_chain']],
    ['all of 20 documents', state(20, { missing_on_chain: 20 }), []],
    ['20 of 21 documents', state(21, { missing_on_chain: 20 }), ['missing_on_chain']],
    ['two kinds', state(100, { duplicate: 30, unreadable: 30 }), ['unreadable', 'duplicate']],
    ['a small share of each of two kinds', state(100, { duplicate: 15, unreadable: 15 }), []],
    ['a share of the accounts', state(1, { missing_in_mirror: 99 }, 100), ['missing_in_mirror']],
  ])('%s', (_, audited, kinds) => {
    expect(warningsOf(audited).map(({ finding }) => finding)).toEqual(kinds);
  });
});
