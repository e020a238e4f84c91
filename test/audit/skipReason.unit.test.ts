// Tests when a repair skips a document because of the times of the document and of the chain.

import { Timestamp } from 'firebase-admin/firestore';
import { expect, test } from 'vitest';
import { skipReason } from '../../admin/repair/skipReason.ts';
import { DEMONSTRATION_PROGRAM } from '../../sandbox/attestationRecord.ts';
import { openOwnProject } from '../support/ownProject.ts';
import { randomRecord } from './mirror.ts';

const MINUTE_MS = 60_000;
const CHAIN_MS = Date.parse('2026-11-01T12:00:00Z');
const { db } = openOwnProject();

/**
 * Returns why a repair skips a document whose account is missing. The parameters say how many minutes
 * before the chain's time the document was synced and last written.
 */
function skipReasonAfter(syncedMinutesBefore: number, writtenMinutesBefore = syncedMinutesBefore) {
  const before = (minutes: number) => CHAIN_MS - minutes * MINUTE_MS;
  const record = randomRecord({ createdAt: new Date(before(60)) });
  const path = 'attestations/a';
  const document = {
    path,
    reference: db.doc(path),
    fields: { ...record, syncedAt: new Date(before(syncedMinutesBefore)) },
    updateTime: Timestamp.fromMillis(before(writtenMinutesBefore)),
  };
  const { onChainAddress } = record;
  const change = { kind: 'missing_on_chain', document: path, onChainAddress } as const;
  const present = { document, kept: undefined, account: null, chainMs: CHAIN_MS };
  return skipReason(change, present, DEMONSTRATION_PROGRAM);
}

test.each([
  ['synced two minutes before the time of the node', 2, 2],
  ['written again after its sync', 30, 0],
  ['synced in the future, and written before', -5_000_000, 2],
])('a document %s is deleted', (_, synced, written) => {
  expect(skipReasonAfter(synced, written)).toBeUndefined();
});

test.each([
  ['synced less than two minutes before the time of the node', 1.9, 1.9],
  ['synced after the time of a node that is behind', -20, -20],
  ['synced in the future, and written just now', -5_000_000, 1],
])('a document %s is skipped', (_, synced, written) => {
  expect(skipReasonAfter(synced, written)).toContain('synced less than 2 minutes ago');
});
