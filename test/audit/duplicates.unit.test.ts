import { expect, test } from 'vitest';
import type { MirrorDocument } from '../../admin/audit/mirror.ts';
import { findDuplicates, RepeatedAddresses } from '../../admin/audit/mirror.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import { randomAddress } from '../support/random.ts';

const wallet = randomAddress();
const record = attestationRecord({ wallet, attestationType: 0 });
const at = '2026-11-01T10:00:00.000Z';

/** Creates a document of the same attestation. */
const copy = (id: string, change: Record<string, unknown> = {}): MirrorDocument => ({
  path: `attestations/${id}`,
  fields: { ...record, createdAt: at, syncedAt: at, ...change },
});

const named = (...documents: MirrorDocument[]) =>
  findDuplicates(documents).map((one) =>
    one.kind === 'duplicate' ? [one.document, ...one.others] : [],
  );

test.each([
  ['one document', [copy('a')], []],
  [
    'a confirmed document and a newer pending one',
    [copy('a', { status: 'pending', syncedAt: '2026-11-02T10:00:00.000Z' }), copy('b')],
    [['attestations/b', 'attestations/a']],
  ],
  [
    'three equal documents, in the order of their ids',
    [copy('c'), copy('a'), copy('b')],
    [['attestations/a', 'attestations/b', 'attestations/c']],
  ],
  ['a document that the endpoint omits', [copy('a'), copy('b', { status: 'minted' })], []],
  [
    'a document of another wallet, which no lookup returns',
    [copy('a'), copy('b', { wallet: record.onChainAddress })],
    [],
  ],
  ['another address', [copy('a'), copy('b', { onChainAddress: wallet })], []],
])('%s', (_, documents, groups) => {
  expect(named(...documents)).toEqual(groups);
});

test('a repeated address is listed once', () => {
  const addresses = new RepeatedAddresses();
  for (const address of ['a', 'b', 'a', 'c', 'a', 'b']) addresses.add(address);
  expect(addresses.repeated()).toEqual(['a', 'b']);
});
