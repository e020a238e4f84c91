// Tests every field of stored attestations and keys with missing, null, mistyped, long and
// out-of-range values. No lookup may fail because of them, and nothing corrupt may count.

import { randomUUID } from 'node:crypto';
import { GeoPoint, Timestamp } from 'firebase-admin/firestore';
import { afterAll, describe, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { ATTESTATION_FIELDS, TYPE_NUMBERS } from '../../records/attestation.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { contractAccepts } from '../support/contract.ts';
import { send } from '../support/http.ts';
import { loggedEntries } from '../support/log.ts';
import { randomWallet, seedKey } from '../support/seed.ts';
import { recordUsed } from '../support/usedValues.ts';

const { db } = openEmulators();

const key = await seedKey();
const served = await serveFunction();
afterAll(() => served.stop());

const MISSING = Symbol('missing');
const TOO_LONG = 'a'.repeat(100_000);
const FAR_FUTURE = new Timestamp(253_402_300_799, 0);
/** Wrong values. The tests skip a value for fields in which it is valid. */
const CORRUPT: readonly [string, unknown][] = [
  ['missing', MISSING],
  ['null', null],
  ['a number', 7.5],
  ['a negative number', -1],
  ['NaN', Number.NaN],
  ['a boolean', true],
  ['an empty string', ''],
  ['too long', TOO_LONG],
  ['an array', [1, 'x']],
  ['a map', { toMillis: 'x', seconds: 1 }],
  ['bytes', Buffer.from('x')],
  ['a geographical point', new GeoPoint(1, 2)],
];

function withField(record: object, field: string, value: unknown): object {
  const { [field]: _, ...rest } = record as Record<string, unknown>;
  return value === MISSING ? rest : { ...rest, [field]: value };
}

const rowsFor = (fields: readonly string[]) =>
  fields.flatMap((field) => CORRUPT.map(([how, value]) => ({ field, how, value })));

describe('an attestation', () => {
  const rows = rowsFor(ATTESTATION_FIELDS).filter(
    ({ field, value }) => !contractAccepts(field, value === MISSING ? undefined : value),
  );

  test('that is corrupt in any way is left out, never counted, and logged with its path and field', async () => {
    const wallet = randomWallet();
    const fields = { attestationType: 1, contextHashHex: 'ab'.repeat(32) };
    const good = { ...attestationRecord({ wallet, ...fields }), createdAt: FAR_FUTURE };
    const early = attestationRecord({ wallet, attestationType: 3, createdAt: new Date(0) });
    const kept = `attestations/${good.onChainAddress}`;
    const leftOut = [
      ...rows.map(({ field, how, value }) => {
        // With an address of its own, it would also be counted.
        const record = { ...good, onChainAddress: randomWallet() };
        return { field, how, record: withField(record, field, value) };
      }),
      {
        field: 'attestationType',
        how: 'unknown',
        record: { ...good, attestationType: TYPE_NUMBERS.length },
      },
      { field: 'contextHashHex', how: 'of another type', record: { ...good, attestationType: 0 } },
      { field: kept, how: 'pending', record: { ...good, status: 'pending' } },
      { field: kept, how: 'older', record: { ...good, syncedAt: new Date(0) } },
    ];
    const collection = db.collection('attestations');
    await db.doc(kept).set(good);
    // Firestore returns this document last, and the response has it first.
    await collection.doc(`~${early.onChainAddress}`).set(early);
    const wrong = new Map<unknown, unknown>();
    for (const { field, how, record } of leftOut) {
      // The id names the corruption in a failure.
      const document = collection.doc(`${field.split('/')[0]} ${how} ${randomUUID()}`);
      await document.set(record);
      wrong.set(document.path, field);
    }
    const { status, json } = await send(served.url, { key, target: `?wallet=${wallet}` });
    expect(status).toBe(200);
    const times = ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];
    const attestations = times.map((createdAt) => ({ createdAt }));
    expect(json).toMatchObject({ attestations, votedCount: 1, hasVerifiedHuman: false });
    const warnings = loggedEntries(served.output()).filter(({ document }) => wrong.has(document));
    const reasons = warnings.map(
      ({ document, field, returnedInstead }) => [document, field ?? returnedInstead] as const,
    );
    expect(new Map(reasons)).toEqual(wrong);
    expect(warnings.every(({ severity }) => severity === 'WARNING')).toBe(true);
  });
});

test('an attestation whose JSON is far longer than the document does not make the lookup fail', async () => {
  const wallet = randomWallet();
  const good = attestationRecord({ wallet, attestationType: 0 });
  const status = { document: Array<boolean>(250_000).fill(false) };
  await db.collection('attestations').add(good);
  await db.collection('attestations').add({ ...good, status });
  const { status: code, json } = await send(served.url, { key, target: `?wallet=${wallet}` });
  expect(code).toBe(200);
  expect(json).toMatchObject({ count: 1, hasVerifiedHuman: true });
});

describe('an API key', () => {
  const good = { active: true, project: 'DAO', hint: 'abcd', createdAt: Timestamp.now() };

  test.each(rowsFor(Object.keys(good)).filter(({ value }) => value !== true))(
    'whose $field is $how',
    async ({ field, value }) => {
      const corrupt = `key-${randomUUID()}`;
      recordUsed(corrupt);
      await db
        .collection('apiKeys')
        .doc(hashApiKey(corrupt))
        .set(withField(good, field, value));
      const { status } = await send(served.url, {
        key: corrupt,
        target: `?wallet=${randomWallet()}`,
      });
      expect(status).toBe(field === 'active' ? 401 : 200);
      const warned = loggedEntries(served.output()).some(
        ({ severity, keyId: id }) => severity === 'WARNING' && id === keyId(hashApiKey(corrupt)),
      );
      expect(warned).toBe(field === 'active');
    },
  );
});
