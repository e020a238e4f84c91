import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareMirror } from '../../admin/audit/compare.ts';
import type { Finding, FindingKind } from '../../admin/audit/findings.ts';
import type { MirrorDocument } from '../../admin/audit/mirror.ts';
import { attestationAddress } from '../../admin/chain/attestationAddress.ts';
import { ChainError } from '../../admin/chain/chainFailure.ts';
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

async function* pagesOf(...pages: MirrorDocument[][]): AsyncGenerator<MirrorDocument[]> {
  yield* pages;
}

const NOW = '2026-11-01T11:00:00.000Z';
const SCOPE = { program, nowMs: () => Date.parse(NOW) };

/** Audits pages against a chain whose accounts have the owners that `ownerOf` returns. Records each request. */
async function auditAll(
  pages: MirrorDocument[][],
  ownerOf: (address: string) => string | null,
  data = Buffer.alloc(40),
) {
  const requests: (readonly string[])[] = [];
  const findings: Finding[] = [];
  let documents = 0;
  const steps = compareMirror(pagesOf(...pages), SCOPE, async (addresses) => {
    requests.push(addresses);
    return addresses.map((address) => {
      const owner = ownerOf(address);
      return owner === null ? null : { owner, data };
    });
  });
  for await (const part of steps) {
    documents += part.documents.length;
    findings.push(...part.findings);
  }
  return { requests, findings, documents };
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
    const { findings } = await auditAll([[document]], () => owner);
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
      const { findings } = await auditAll([[document]], () => program, Buffer.alloc(0));
      expect(findings).toMatchObject([{ kind: 'no_data', document: document.path }]);
    },
  );

  test.each([
    ['24 hours', '2026-10-31T11:00:00.000Z', []],
    ['more than 24 hours', '2026-10-31T10:59:59.999Z', ['pending_too_long']],
  ])('pending for %s', async (_, createdAt, kinds) => {
    const document = validDocument({ status: 'pending', createdAt });
    const { findings } = await auditAll([[document]], () => null);
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
    const { findings } = await auditAll([[validDocument(times)]], () => program);
    expect(findings).toMatchObject(reason ? [{ kind: 'implausible_time', reason }] : []);
  });

  test('a wrong address is a finding, and is not requested from the chain', async () => {
    const { fields, path } = validDocument();
    const { requests, findings } = await auditAll(
      [[{ path, fields: { ...fields, onChainAddress: otherAddress } }]],
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
    const { findings, requests } = await auditAll([page], () => null);
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

  test('each document is requested once, in batches of up to 100', async () => {
    const pool = Array.from({ length: 250 }, () => validDocument());
    const sizes = fc.array(fc.integer({ min: 0, max: pool.length }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(sizes, async (counts) => {
        const pages = counts.map((count) => pool.slice(0, count));
        const { requests, findings, documents } = await auditAll(pages, () => program);
        expect(documents).toBe(pages.flat().length);
        expect(requests.flat()).toEqual(pages.flat().map(({ fields }) => fields['onChainAddress']));
        expect(Math.max(0, ...requests.map(({ length }) => length))).toBeLessThanOrEqual(100);
        expect(findings).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  test('if the chain cannot be read, the audit fails without a finding', async () => {
    const failure = new ChainError('timed_out', 'test');
    const steps = compareMirror(pagesOf([validDocument()]), SCOPE, async () => {
      throw failure;
    });
    await expect(steps.next()).rejects.toBe(failure);
  });
});
