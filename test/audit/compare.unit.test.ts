// Tests the limits of the audit's rules, and its warnings. test/audit/audit.test.ts plants every kind of finding.

import { describe, expect, test } from 'vitest';
import {
  checkDocument,
  compareDocument,
  findDuplicates,
  latestSync,
} from '../../cli/audit/compare.ts';
import { FINDING_KINDS } from '../../cli/audit/findings.ts';
import type { MirrorDocument } from '../../cli/audit/mirror.ts';
import {
  type Audited,
  NOTHING_AUDITED,
  type ReportOptions,
  summarize,
  summaryText,
} from '../../cli/audit/report.ts';
import type { Account } from '../../cli/chain/chainAccounts.ts';
import { Failure } from '../../cli/terminal/failure.ts';
import { attestationAddress } from '../../contract/attestationAddress.ts';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { attestationRecord } from '../../contract/examples.ts';
import { randomAddress, randomContextHash } from '../support/random.ts';

const program = randomAddress();
const NOW = Date.parse('2026-11-01T11:00:00.000Z');
const ACCOUNT = { owner: program, data: Buffer.alloc(40) };
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

/** Compares a document with an account of the program; null for a chain without it. */
function compare(document: MirrorDocument, account: Account | null = ACCOUNT) {
  const checked = checkDocument(document, program);
  return 'kind' in checked ? [checked] : compareDocument(checked, account, program, NOW);
}

test.each([
  ['24 hours', '2026-10-31T11:00:00.000Z', []],
  ['more than 24 hours', '2026-10-31T10:59:59.999Z', ['pending_too_long']],
])('pending for %s', (_, createdAt, kinds) => {
  const findings = compare(validDocument({ status: 'pending', createdAt }), null);
  expect(findings.map(({ kind }) => kind)).toEqual(kinds);
});

test.each([
  [at, '2026-11-01T11:05:00.000Z', ''],
  [at, '2026-11-01T11:05:00.001Z', 'syncedAt is in the future'],
  [
    '2036-01-01T00:00:00Z',
    '2036-01-01T00:00:00Z',
    'createdAt is in the future, syncedAt is in the future',
  ],
  [at, '2026-11-01T09:55:00.000Z', ''],
  [at, '2026-11-01T09:54:59.999Z', 'syncedAt is before createdAt'],
  ['1970-01-01T00:00:00Z', at, 'createdAt is before the chain began'],
])('created at %s and synced at %s: "%s"', (createdAt, syncedAt, reason) => {
  const findings = compare(validDocument({ createdAt, syncedAt }));
  expect(findings).toMatchObject(reason ? [{ kind: 'implausible_time', reason }] : []);
});

test('a document that the endpoint omits is named with its first invalid field', () => {
  const { wallet: _, ...fields } = validDocument().fields;
  expect(compare({ path: 'x', fields })).toMatchObject([{ reason: 'wallet is missing' }]);
  const findings = compare(validDocument({ status: 'minted' }));
  expect(findings).toMatchObject([{ reason: 'status is not valid' }]);
});

test('a document with another address is a finding with its fields and the derived address', () => {
  const document = validDocument();
  const { wallet, ...fields } = document.fields;
  const derivedAddress = fields['onChainAddress'];
  const attestation = { ...fields, onChainAddress: randomAddress() };
  const wrong = { path: 'x', fields: { wallet, ...attestation } };
  const reason = `derives to ${derivedAddress}`;
  const finding = { kind: 'address_mismatch', document: 'x', reason, derivedAddress };
  expect(compare(wrong)).toMatchObject([{ ...finding, wallet, ...fields, ...attestation }]);
});

test('the latest sync is that of a valid document, and not in the future', () => {
  const synced = ['2026-11-01T10:30:00Z', '2026-11-01T11:05:00.001Z', '2026-11-01T10:20:00Z'];
  const documents = synced.map((syncedAt) => checkDocument(validDocument({ syncedAt }), program));
  const valid = documents.filter((one) => 'attestation' in one);
  expect(latestSync(valid, NOW)).toBe(Date.parse('2026-11-01T10:30:00Z'));
  expect(latestSync([], NOW)).toBe(0);
});

test('a document is the duplicate of another one only if it has the same wallet', () => {
  const { fields } = validDocument();
  const copies = ['c', 'a', 'b'].map((path) => ({ path, fields }));
  const found = findDuplicates([
    ...copies,
    { path: 'd', fields: { ...fields, wallet: randomAddress() } },
  ]);
  const reason = 'the endpoint returns a';
  expect(found).toMatchObject([
    { document: 'c', reason },
    { document: 'b', reason },
  ]);
});

/** @returns the end of the text report */
const textOf = (audited: Partial<Audited>, ...more: [ReportOptions, number, Failure?]) =>
  summaryText({
    ...summarize({ ...NOTHING_AUDITED, ...audited }, ...more),
    ...{ seconds: 1.5, peakMemoryMiB: 90 },
  });

test('the report counts each kind, and says what to check', () => {
  const findings = Object.fromEntries(Object.keys(FINDING_KINDS).map((kind) => [kind, 300]));
  const audited = { documents: 1_200, accounts: 1_200, syncedMs: NOW - 73.5 * HOUR_MS, findings };
  expect(textOf(audited, { maxSyncHours: 72, bothWays: true }, NOW)).toBe(`
address_mismatch         300
missing_on_chain         300
wrong_owner              300
no_data                  300
ready_to_confirm         300
pending_too_long         300
implausible_time         300
unreadable               300
duplicate                300
missing_in_mirror        300

1,200 documents audited in 1.5 s, with at most 90 MiB of memory.
The newest document was synced 73.5 hours ago.
docs/runbook.md says what to do about each finding.
WARNING: No document was synced in the last 72 hours: check that the mirror writer runs.
WARNING: address_mismatch for 300 of 1,200 documents: check that --program is the program of this deployment.
WARNING: missing_on_chain for 300 of 1,200 documents: audit again with another --rpc before you delete anything.
WARNING: wrong_owner for 300 of 1,200 documents: check that --program is the program of this deployment.
WARNING: no_data for 300 of 1,200 documents: check that --program is the program of this deployment.
WARNING: ready_to_confirm for 300 of 1,200 documents: check that the mirror writer's confirmation step runs.
WARNING: pending_too_long for 300 of 1,200 documents: check that attestations are being minted.
WARNING: implausible_time for 300 of 1,200 documents: check the clock of the mirror writer.
WARNING: unreadable for 300 of 1,200 documents: check the mirror writer, since lookups omit these documents.
WARNING: duplicate for 300 of 1,200 documents: check the mirror writer, since it gives one attestation several document ids.
WARNING: missing_in_mirror for 300 of 1,200 accounts: check that the mirror writer runs, and whether the mirror has lost documents.`);
});

test('the report of an audit that did not end says so', () => {
  const audited = { documents: 1_200, total: 2_400, findings: { duplicate: 1 } };
  const options = { maxSyncHours: 72 };
  expect(textOf(audited, options, NOW, new Failure('It stopped.'))).toBe(`
duplicate                  1
missing_in_mirror  not checked (add --both-ways)

INCOMPLETE: only 1,200 of 2,400 documents audited in 1.5 s, with at most 90 MiB of memory.
docs/runbook.md says what to do about each finding.`);
  expect(textOf({ documents: 1, findings: {} }, options, NOW)).not.toContain('runbook');
  expect(textOf({}, options, NOW)).toBe('Nothing was audited.');
});

describe('warnings', () => {
  test.each([
    ['a fifth of the documents', { documents: 100, findings: { missing_on_chain: 20 } }, []],
    ['more', { documents: 100, findings: { missing_on_chain: 21 } }, ['missing_on_chain']],
    ['all of 20 documents', { documents: 20, findings: { missing_on_chain: 20 } }, []],
    ['20 of 21', { documents: 21, findings: { missing_on_chain: 20 } }, ['missing_on_chain']],
    ['few of two kinds', { documents: 100, findings: { duplicate: 15, unreadable: 15 } }, []],
    [
      'a share of the accounts',
      { documents: 1, accounts: 100, findings: { missing_in_mirror: 99 } },
      ['missing_in_mirror'],
    ],
  ])('%s', (_, audited, kinds) => {
    const { warnings } = summarize({ ...NOTHING_AUDITED, ...audited }, { maxSyncHours: 72 }, NOW);
    expect(warnings.map(({ finding }) => finding)).toEqual(kinds);
  });
});
