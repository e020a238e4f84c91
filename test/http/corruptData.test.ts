// Tests every field of stored attestations with missing, null, mistyped, long and out-of-range values. No lookup may fail
// because of them, and nothing corrupt may count.

import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { GeoPoint, Timestamp } from 'firebase-admin/firestore';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { attestationRecord } from '../../contract/examples.ts';
import { TYPE_NUMBERS } from '../../contract/result.ts';
import { attestationSchema } from '../../contract/schemas.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { WRONG } from '../records/wrongValues.ts';
import { openEndpoint } from '../support/endpoints.ts';
import { randomWallet, seedKey } from '../support/seed.ts';

const FAR_FUTURE = new Timestamp(253_402_300_799, 0);
/** Wrong values. The test skips a value for fields in which it is valid. */
const CORRUPT: readonly unknown[] = [
  ...[undefined, 'a'.repeat(100_000), Buffer.from('x'), new GeoPoint(1, 2)],
  ...Object.values(WRONG).flat(),
];

function withField(record: object, field: string, value: unknown): object {
  const { [field]: _, ...rest } = record as Record<string, unknown>;
  return value === undefined ? rest : { ...rest, [field]: value };
}

test('an attestation that is corrupt in any way is left out, never counted, and logged with its path and field', async () => {
  const wallet = randomWallet();
  const fields = { attestationType: 1, contextHashHex: 'ab'.repeat(32) };
  const good = { ...attestationRecord({ wallet, ...fields }), createdAt: FAR_FUTURE };
  const early = attestationRecord({ wallet, attestationType: 3, createdAt: new Date(0) });
  const kept = `attestations/${good.onChainAddress}`;
  const corrupt = Object.entries(attestationSchema.shape).flatMap(([field, schema]) =>
    CORRUPT.filter(
      (value) => !z.object({ value: schema }).safeParse(withField({}, 'value', value)).success,
    ).map((value) => {
      // With an address of its own, it would also be counted.
      const record = { ...good, onChainAddress: randomWallet() };
      const how = inspect(value).slice(0, 40);
      return { field, how, record: withField(record, field, value) };
    }),
  );
  const unknownType = { ...good, attestationType: TYPE_NUMBERS.length };
  const leftOut = [
    ...corrupt,
    { field: 'attestationType', how: 'unknown', record: unknownType },
    { field: 'contextHashHex', how: 'of another type', record: { ...good, attestationType: 0 } },
    { field: kept, how: 'pending', record: { ...good, status: 'pending' } },
    { field: kept, how: 'older', record: { ...good, syncedAt: new Date(0) } },
  ];
  const { db } = openEmulators();
  const collection = db.collection('attestations');
  await db.doc(kept).set(good);
  // Firestore returns this document last, and the response has it first.
  await collection.doc(`~${early.onChainAddress}`).set(early);
  const wrong: Record<string, string> = {};
  for (const { field, how, record } of leftOut) {
    // The id names the corruption in a failure.
    const document = collection.doc(`${field.split('/')[0]} ${how} ${randomUUID()}`);
    await document.set(record);
    wrong[document.path] = field;
  }
  const logged: LogLine[] = [];
  const lookUp = openEndpoint(() => ({ log: (line) => logged.push(line) }));
  const { status, json } = await lookUp(await seedKey(), `wallet=${wallet}`);
  expect(status).toBe(200);
  const times = ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];
  const attestations = times.map((createdAt) => ({ createdAt }));
  expect(json).toMatchObject({ attestations, votedCount: 1, hasVerifiedHuman: false });
  const warnings = logged.filter(({ severity }) => severity === 'WARNING');
  const reasons = warnings.map((line) => [
    line['document'],
    line['field'] ?? line['returnedInstead'],
  ]);
  expect(Object.fromEntries(reasons)).toEqual(wrong);
});
