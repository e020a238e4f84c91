// Tests which changes a repair plans, and when it skips one because the document or the chain has changed.

import { describe, expect, test } from 'vitest';
import type { Entry, Finding } from '../../admin/audit/findings.ts';
import { requireWallet } from '../../admin/frame/input.ts';
import { skipReason } from '../../admin/repair/applyChange.ts';
import {
  type Change,
  ChangePlan,
  describeChanges,
  lineOf,
  REPAIR_KINDS,
  type RepairKind,
} from '../../admin/repair/changes.ts';
import { toMirrorDocument } from '../../admin/repair/documents.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { randomAddress } from '../support/random.ts';
import { randomRecord } from './mirror.ts';

const MINUTE_MS = 60_000;
const CHAIN_MS = Date.parse('2026-11-01T12:00:00Z');
const record = randomRecord();
const account = { owner: DEMONSTRATION_PROGRAM, data: Buffer.alloc(40) };

const minutesBefore = (minutes: number) => new Date(CHAIN_MS - minutes * MINUTE_MS).toISOString();

/** Creates a document as stored, which was synced and last written some minutes before the chain's time. */
const stored = (
  change: Partial<Record<keyof typeof record, unknown>> = {},
  synced = 30,
  written = synced,
) => {
  const { wallet, attestationType, contextHashHex, onChainAddress, status } = {
    ...record,
    ...change,
  };
  return {
    path: 'attestations/a',
    fields: {
      wallet: { stringValue: wallet },
      contextHashHex: { stringValue: contextHashHex },
      onChainAddress: { stringValue: onChainAddress },
      status: { stringValue: status },
      attestationType: { integerValue: `${attestationType}` },
      createdAt: { timestampValue: minutesBefore(60) },
      syncedAt: { timestampValue: minutesBefore(synced) },
    },
    updateTime: minutesBefore(written),
  };
};

const change = (kind: RepairKind, onChainAddress = record.onChainAddress): Change => ({
  ...{ kind, document: 'attestations/a', onChainAddress },
  ...(kind === 'duplicate' && { kept: 'attestations/b' }),
});

const present = { document: stored(), kept: undefined, account: null, chainMs: CHAIN_MS };
const pending = stored({ status: 'pending' });
const newer = { ...stored({}, 20), path: 'attestations/b' };
const other = randomRecord();
const otherAttestation = { ...stored({ ...other }, 20), path: 'attestations/b' };
const duplicate = change('duplicate');

describe('a change is made', () => {
  test.each([
    ['missing', change('missing_on_chain'), present],
    ['minted', change('ready_to_confirm'), { ...present, document: pending, account }],
    ['a duplicate', duplicate, { ...present, kept: newer }],
    ['a duplicate without an account', duplicate, { ...present, kept: newer, account }],
    ['synced two minutes ago', change('missing_on_chain'), { ...present, document: stored({}, 2) }],
    [
      'synced 30 minutes ago, and written since',
      change('missing_on_chain'),
      { ...present, document: stored({}, 30, 0) },
    ],
    [
      'synced in the future, but written two minutes ago',
      change('missing_on_chain'),
      { ...present, document: stored({}, -5_000_000, 2) },
    ],
    [
      'newly synced, but minted',
      change('ready_to_confirm'),
      { ...present, document: stored({ status: 'pending' }, 0), account },
    ],
  ])('%s', (_, planned, state) => {
    expect(skipReason(planned, state, DEMONSTRATION_PROGRAM)).toBeUndefined();
  });
});

describe('a change is skipped', () => {
  const RECENT = 'synced less than 2 minutes ago';
  const missing = change('missing_on_chain');
  test.each([
    ['deleted', missing, { ...present, document: undefined }, 'it no longer exists'],
    [
      'unreadable',
      missing,
      { ...present, document: stored({ status: 'x' }) },
      'its finding is now unreadable',
    ],
    [
      'a wrong address',
      missing,
      { ...present, document: stored({ onChainAddress: other.onChainAddress }) },
      'its finding is now address_mismatch',
    ],
    ['another address', change('missing_on_chain', 'x'), present, 'its address has changed'],
    ['minted', missing, { ...present, account }, 'the finding is no longer true'],
    ['pending', missing, { ...present, document: pending }, 'the finding is no longer true'],
    [
      'not minted',
      change('ready_to_confirm'),
      { ...present, document: pending },
      'the finding is no longer true',
    ],
    [
      'taken over by another program',
      change('ready_to_confirm'),
      { ...present, document: pending, account: { ...account, owner: randomAddress() } },
      'the finding is no longer true',
    ],
    ['the only one', duplicate, present, 'the document to keep no longer exists'],
    [
      'beside an unreadable one',
      duplicate,
      { ...present, kept: stored({ status: 'x' }) },
      'the document to keep is no longer valid',
    ],
    [
      'beside another attestation',
      duplicate,
      { ...present, kept: otherAttestation },
      'the document to keep belongs to another attestation',
    ],
    [
      'what the endpoint returns',
      duplicate,
      { ...present, kept: { ...stored({}, 31), path: 'attestations/b' } },
      'the endpoint now returns this document',
    ],
    ['synced recently', missing, { ...present, document: stored({}, 1.9) }, RECENT],
    [
      'synced after the time of a node that is behind',
      missing,
      { ...present, document: stored({}, -20) },
      RECENT,
    ],
    [
      'synced in the future, and written a minute ago',
      missing,
      { ...present, document: stored({}, -5_000_000, 1) },
      RECENT,
    ],
  ])('%s', (_, planned, state, reason) => {
    expect(skipReason(planned, state, DEMONSTRATION_PROGRAM)).toContain(reason);
  });
});

test('values are read as the audit reads them', () => {
  const fields = {
    ...{ text: { stringValue: '' }, zero: { integerValue: '0' }, nothing: { nullValue: null } },
    ...{ double: { doubleValue: 1.5 }, time: { timestampValue: '2026-11-01T12:00:00.123456Z' } },
  };
  expect(toMirrorDocument({ path: 'a', fields, updateTime: '' }).fields).toEqual({
    ...{ text: '', zero: 0, nothing: null, double: 1.5, time: '2026-11-01T12:00:00.123456Z' },
  });
});

describe('the plan', () => {
  const entry = (document: string): Entry => ({ ...entryOf, document });
  const { attestationType, contextHashHex, onChainAddress } = record;
  const wallet = requireWallet(record.wallet);
  const entryOf = {
    wallet,
    attestationType,
    contextHashHex,
    onChainAddress,
    status: 'pending',
  } as const;
  const confirm: Finding = { kind: 'ready_to_confirm', ...entry('a') };
  const copies: Finding = { kind: 'duplicate', ...entry('k'), others: ['a', 'b'] };
  const planOf = (kinds: readonly RepairKind[], ...findings: Finding[]) => {
    const plan = new ChangePlan(kinds);
    for (const finding of findings) plan.add(finding);
    return plan.changes();
  };

  test('has only the named kinds', () => {
    expect(planOf(['ready_to_confirm'], confirm, copies)).toEqual([
      { kind: 'ready_to_confirm', document: 'a', onChainAddress },
    ]);
    expect(planOf(REPAIR_KINDS, { kind: 'no_data', ...entry('a') })).toEqual([]);
  });

  test.each([
    ['before', [confirm, copies]],
    ['after', [copies, confirm]],
  ])('deletes a document whose confirmation was found %s the deletion', (_, findings) => {
    expect(planOf(REPAIR_KINDS, ...findings)).toEqual(
      ['a', 'b'].map((document) => ({ kind: 'duplicate', document, onChainAddress, kept: 'k' })),
    );
  });

  test('keeps the first of two deletions', () => {
    const missing: Finding = { kind: 'missing_on_chain', ...entry('a') };
    expect(planOf(REPAIR_KINDS, missing, copies)[0]).toMatchObject({ kind: 'missing_on_chain' });
  });

  test('is described with the changes that it has', () => {
    const [yes, no] = [change('ready_to_confirm'), change('missing_on_chain')];
    expect(describeChanges([yes])).toBe('1 confirmation');
    expect(describeChanges([no, duplicate])).toBe('2 deletions');
    expect(describeChanges([yes, yes, no])).toBe('2 confirmations and 1 deletion');
  });

  test('has a line for each change, safe for a terminal', () => {
    const unsafe = { ...duplicate, document: 'attestations/a\u202e', kept: 'attestations/b\u202e' };
    expect(lineOf('done', unsafe)).toBe(
      `done     attestations/a\\u{202e}  ${onChainAddress}  duplicate: attestations/b\\u{202e} is kept`,
    );
    expect(lineOf('skipped', unsafe, 'why')).toMatch(/^skipped {2}.* duplicate: why$/);
    expect(lineOf('delete', change('missing_on_chain'))).toMatch(/missing_on_chain: confirmed in/);
  });
});
