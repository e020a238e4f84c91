// Tests which changes a repair plans, and when it skips one because the document or the chain has changed.

import { describe, expect, test } from 'vitest';
import type { Entry, Finding } from '../../admin/audit/findings.ts';
import { parseAddress } from '../../admin/frame/input.ts';
import { skipReason } from '../../admin/repair/applyChange.ts';
import {
  addChanges,
  type Change,
  lineOf,
  REPAIR_KINDS,
  type RepairKind,
} from '../../admin/repair/changes.ts';
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
const other = randomRecord();
const otherAttestation = { ...stored({ ...other }, 20), path: 'attestations/b' };
const duplicate = change('duplicate');
const missing = change('missing_on_chain');
const confirmation = change('ready_to_confirm');

describe('a change is made', () => {
  test.each([
    ['synced two minutes ago', missing, { document: stored({}, 2) }],
    ['synced 30 minutes ago, and written since', missing, { document: stored({}, 30, 0) }],
    [
      'synced in the future, but written two minutes ago',
      missing,
      { document: stored({}, -5_000_000, 2) },
    ],
    [
      'newly synced, but minted',
      confirmation,
      { document: stored({ status: 'pending' }, 0), account },
    ],
  ])('%s', (_, planned, state) => {
    expect(skipReason(planned, { ...present, ...state }, DEMONSTRATION_PROGRAM)).toBeUndefined();
  });
});

describe('a change is skipped', () => {
  const RECENT = 'synced less than 2 minutes ago';
  const NOT_TRUE = 'the finding is no longer true';
  test.each([
    ['deleted', missing, { document: undefined }, 'it no longer exists'],
    ['unreadable', missing, { document: stored({ status: 'x' }) }, 'its finding is now unreadable'],
    [
      'a wrong address',
      missing,
      { document: stored({ onChainAddress: other.onChainAddress }) },
      'its finding is now address_mismatch',
    ],
    ['another address', change('missing_on_chain', 'x'), {}, 'its address has changed'],
    ['pending', missing, { document: pending }, NOT_TRUE],
    ['not minted', confirmation, { document: pending }, NOT_TRUE],
    [
      'taken over by another program',
      confirmation,
      { document: pending, account: { ...account, owner: randomAddress() } },
      NOT_TRUE,
    ],
    ['the only one', duplicate, {}, 'the document to keep no longer exists'],
    [
      'beside an unreadable one',
      duplicate,
      { kept: stored({ status: 'x' }) },
      'the document to keep is no longer valid',
    ],
    [
      'beside another attestation',
      duplicate,
      { kept: otherAttestation },
      'the document to keep belongs to another attestation',
    ],
    [
      'what the endpoint returns',
      duplicate,
      { kept: { ...stored({}, 31), path: 'attestations/b' } },
      'the endpoint now returns this document',
    ],
    ['synced recently', missing, { document: stored({}, 1.9) }, RECENT],
    [
      'synced after the time of a node that is behind',
      missing,
      { document: stored({}, -20) },
      RECENT,
    ],
    [
      'synced in the future, and written a minute ago',
      missing,
      { document: stored({}, -5_000_000, 1) },
      RECENT,
    ],
  ])('%s', (_, planned, state, reason) => {
    expect(skipReason(planned, { ...present, ...state }, DEMONSTRATION_PROGRAM)).toContain(reason);
  });
});

describe('the plan', () => {
  const { attestationType, contextHashHex, onChainAddress } = record;
  const entry = (document: string): Entry => ({
    ...{ document, attestationType, contextHashHex, onChainAddress, status: 'pending' },
    wallet: parseAddress(record.wallet),
  });
  const confirm: Finding = { kind: 'ready_to_confirm', ...entry('a') };
  const missing: Finding = { kind: 'missing_on_chain', ...entry('a') };
  const copies: Finding = { kind: 'duplicate', ...entry('k'), others: ['a', 'b'] };

  test.each<[string, readonly Finding[], readonly string[]]>([
    ['has no change for other kinds', [{ kind: 'no_data', ...entry('a') }], []],
    ['deletes a document that was to be confirmed', [confirm, copies], ['duplicate', 'duplicate']],
    ['does not confirm a document to delete', [copies, confirm], ['duplicate', 'duplicate']],
    ['keeps the first of two deletions', [missing, copies], ['missing_on_chain', 'duplicate']],
  ])('%s', (_, findings, kinds) => {
    const plan = new Map<string, Change>();
    for (const finding of findings) addChanges(plan, finding, REPAIR_KINDS);
    expect([...plan.values()].map(({ kind }) => kind)).toEqual(kinds);
  });

  test('is printed safely for a terminal', () => {
    const unsafe = { ...duplicate, document: 'attestations/a\u202e', kept: 'attestations/b\u202e' };
    expect(lineOf('done', unsafe)).toBe(
      `done     attestations/a\\u{202e}  ${onChainAddress}  duplicate: attestations/b\\u{202e} is kept`,
    );
  });
});
