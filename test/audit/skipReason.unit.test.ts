// Tests when a repair skips a document because of the times of the document and of the chain.

import { expect, test } from 'vitest';
import { skipReason } from '../../admin/repair/applyChange.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { randomRecord } from './mirror.ts';

const MINUTE_MS = 60_000;
const CHAIN_MS = Date.parse('2026-11-01T12:00:00Z');

/**
 * Returns why a repair skips a document whose account is missing. The parameters say how many minutes
 * before the chain's time the document was synced and last written.
 */
function skipReasonAfter(syncedMinutesBefore: number, writtenMinutesBefore = syncedMinutesBefore) {
  const before = (minutes: number) => CHAIN_MS - minutes * MINUTE_MS;
  const record = randomRecord();
  const path = 'attestations/a';
  const text = (name: 'wallet' | 'contextHashHex' | 'onChainAddress' | 'status') => ({
    [name]: { stringValue: record[name] },
  });
  const document = {
    path,
    fields: {
      ...text('wallet'),
      ...text('contextHashHex'),
      ...text('onChainAddress'),
      ...text('status'),
      attestationType: { integerValue: `${record.attestationType}` },
      createdAt: { timestampValue: new Date(before(60)).toISOString() },
      syncedAt: { timestampValue: new Date(before(syncedMinutesBefore)).toISOString() },
    },
    updateTime: new Date(before(writtenMinutesBefore)).toISOString(),
  };
  const { onChainAddress } = record;
  const change = { kind: 'missing_on_chain', document: path, onChainAddress } as const;
  const present = { document, kept: undefined, account: null, chainMs: CHAIN_MS };
  return skipReason(change, present, DEMONSTRATION_PROGRAM);
}

test.each([
  ['synced two minutes before the time of the node', 2, 2],
  ['synced 30 minutes before the time of the node, and written again since', 30, 0],
  ['whose sync time is in the future, but which was written two minutes ago', -5_000_000, 2],
])('a document %s is deleted', (_, synced, written) => {
  expect(skipReasonAfter(synced, written)).toBeUndefined();
});

test.each([
  ['synced less than two minutes before the time of the node', 1.9, 1.9],
  ['synced 20 minutes after the time of the node, which is behind', -20, -20],
  ['whose sync time is in the future, and which was written a minute ago', -5_000_000, 1],
])('a document %s is skipped', (_, synced, written) => {
  expect(skipReasonAfter(synced, written)).toContain('synced less than 2 minutes ago');
});
