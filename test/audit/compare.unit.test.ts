import { describe, expect, test } from 'vitest';
import { compareDocuments, findDuplicates } from '../../admin/audit/compare.ts';
import type { FindingKind } from '../../admin/audit/findings.ts';
import type { MirrorDocument } from '../../admin/audit/mirror.ts';
import { attestationAddress } from '../../admin/chain/attestationAddress.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import { randomAddress, randomContextHash } from '../support/random.ts';

const program = randomAddress();
const otherAddress = randomAddress();

function validDocument(change: Record<string, unknown> = {}): MirrorDocument {
  const wallet = randomAddress();
  const contextHashHex = randomContextHash();
  const onChainAddress = attestationAddress(program, wallet, 1, contextHashHex);
  const at = '2026-11-01T10:00:00.000Z';
  return {
    path: `attestations/${onChainAddress}`,
    fields: {
      ...attestationRecord({ wallet, attestationType: 1, contextHashHex }),
      ...{ onChainAddress, createdAt: at, syncedAt: at },
      ...change,
    },
  };
}

const NOW = '2026-11-01T11:00:00.000Z';
const SCOPE = { program, nowMs: () => Date.parse(NOW) };

/** Compares documents with a chain whose accounts have the owners that `ownerOf` returns. Records each request. */
async function compare(
  documents: MirrorDocument[],
  ownerOf: (address: string) => string | null,
  data = Buffer.alloc(40),
) {
  const requests: (readonly string[])[] = [];
  const outcome = await compareDocuments(documents, SCOPE, async (addresses) => {
    requests.push(addresses);
    return addresses.map((address) => {
      const owner = ownerOf(address);
      return owner === null ? null : { owner, data };
    });
  });
  return { requests, ...outcome };
}

type Row = readonly ['confirmed' | 'pending', string, string | null, FindingKind | undefined];
const CASES: readonly Row[] = [
  ['confirmed', 'our account', program, undefined],
  ['confirmed', 'no account', null, 'missing_on_chain'],
  ['confirmed', "another's account", otherAddress, 'wrong_owner'],
  ['pending', 'our account', program, 'ready_to_confirm'],
  ['pending', 'no account', null, undefined],
  ['pending', "another's account", otherAddress, 'wrong_owner'],
];

describe('audit', () => {
  test.each(CASES)('%s in the mirror, %s on the chain', async (status, _, owner, kind) => {
    const document = validDocument({ status });
    const { findings } = await compare([document], () => owner);
    const expected = {
      kind,
      document: document.path,
      status,
      ...(kind === 'wrong_owner' && { owner }),
    };
    expect(findings).toMatchObject(kind === undefined ? [] : [expected]);
    expect(findings).toHaveLength(kind === undefined ? 0 : 1);
  });

  test.each(['confirmed', 'pending'])(
    '%s in the mirror, an account without data on the chain',
    async (status) => {
      const document = validDocument({ status });
      const { findings } = await compare([document], () => program, Buffer.alloc(0));
      expect(findings).toMatchObject([{ kind: 'no_data', document: document.path }]);
    },
  );

  test.each([
    ['24 hours', '2026-10-31T11:00:00.000Z', []],
    ['more than 24 hours', '2026-10-31T10:59:59.999Z', ['pending_too_long']],
  ])('pending for %s', async (_, createdAt, kinds) => {
    const document = validDocument({ status: 'pending', createdAt });
    const { findings } = await compare([document], () => null);
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
    const { findings } = await compare([validDocument(times)], () => program);
    expect(findings).toMatchObject(reason ? [{ kind: 'implausible_time', reason }] : []);
  });

  test('a wrong address is a finding, and is not requested from the chain', async () => {
    const { fields, path } = validDocument();
    const { requests, findings } = await compare(
      [{ path, fields: { ...fields, onChainAddress: otherAddress } }],
      () => null,
    );
    expect(findings).toMatchObject([
      {
        kind: 'address_mismatch',
        onChainAddress: otherAddress,
        derivedAddress: fields['onChainAddress'],
      },
    ]);
    expect(requests).toEqual([]);
  });

  test('an unreadable document is reported with its invalid field and the reason', async () => {
    const wrong = validDocument({ status: 'minted' });
    const { wallet: _, ...withoutWallet } = validDocument().fields;
    const page = [wrong, { path: 'attestations/x', fields: withoutWallet }];
    const { findings, requests } = await compare(page, () => null);
    expect(findings).toStrictEqual([
      {
        kind: 'unreadable',
        document: wrong.path,
        field: 'status',
        reason: 'status is not valid (specification, 2.1)',
      },
      {
        kind: 'unreadable',
        document: 'attestations/x',
        field: 'wallet',
        reason: 'wallet is missing',
      },
    ]);
    expect(requests).toEqual([]);
  });

  test('each account is requested once, in the order of the documents', async () => {
    const documents = [validDocument(), validDocument({ status: 'minted' }), validDocument()];
    const { requests } = await compare(documents, () => program);
    const [first, , third] = documents.map(({ fields }) => fields['onChainAddress']);
    expect(requests).toEqual([[first, third]]);
  });

  test('the latest sync is that of a valid document, and not in the future', async () => {
    const synced = ['2026-11-01T10:30:00Z', '2026-11-01T11:05:00.001Z', '2026-11-01T10:20:00Z'];
    const documents = synced.map((syncedAt) => validDocument({ syncedAt }));
    documents.push(validDocument({ syncedAt: '2026-11-01T10:40:00Z', status: 'minted' }));
    const { syncedMs } = await compare(documents, () => program);
    expect(syncedMs).toBe(Date.parse('2026-11-01T10:30:00Z'));
    expect((await compare([], () => program)).syncedMs).toBe(0);
  });
});

describe('duplicates', () => {
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
});
