// Tests the contract's promises that are not in its tables, with the function served as in production.

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { attestationRecord } from '../../tools/sandbox/attestationRecord.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { requestEntries } from '../support/log.ts';
import {
  randomContextHash,
  randomWallet,
  seedAccount,
  seedKey,
  seedToken,
  seedWallet,
} from '../support/seed.ts';

const { db } = openEmulators();

const key = await seedKey();

const lookUp = (query: string, apiKey = key) =>
  send(servedUrl, { key: apiKey, target: `?${query}` });
const keyRecord = (apiKey: string) => db.collection('apiKeys').doc(hashApiKey(apiKey));

describe('API keys', () => {
  test('unknown, revoked and unusable keys get the same response except for the request id', async () => {
    const unusable = `key-${randomUUID()}`;
    await keyRecord(unusable).set({ active: 'true' });
    const responses = [];
    for (const bad of [`key-${randomUUID()}`, await seedKey({ active: false }), unusable, '🙂']) {
      const { status, headers, text } = await lookUp(`wallet=${randomWallet()}`, bad);
      const id = String(headers['x-request-id']);
      const { date: _, ...others } = headers;
      responses.push(JSON.stringify({ status, others, text }).replaceAll(id, 'ID'));
    }
    expect(new Set(responses).size).toBe(1);
    expect(JSON.parse(responses[0] ?? '')).toMatchObject({ status: 401 });
  });
});

describe('verification tokens', () => {
  test('unknown, revoked, expired and malformed tokens get the same response', async () => {
    const wallet = randomWallet();
    const bodies = [];
    for (const token of [
      randomUUID(),
      await seedToken(wallet, { revoked: true }),
      await seedToken(wallet, { createdAt: new Date(0) }),
      'malformed',
    ]) {
      const { status, json } = await lookUp(`token=${token}`);
      bodies.push(JSON.stringify({ status, ...json, requestId: 'ID' }));
    }
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ status: 404, code: 'token_not_found' });
  });
});

describe('attestations', () => {
  test('are ordered by createdAt, then onChainAddress, and each response has the same bytes', async () => {
    const wallet = randomWallet();
    const days = ['2026-01-03', '2026-01-01', '2026-01-02', '2026-01-01', '2026-01-01'];
    await seedWalletOn(wallet, days);
    const first = await lookUp(`wallet=${wallet}`);
    const second = await lookUp(`wallet=${wallet}`);
    expect(first.text).toBe(second.text);
    const order = first.json.attestations.map(
      (a: { createdAt: string; onChainAddress: string }) => `${a.createdAt} ${a.onChainAddress}`,
    );
    expect(order).toHaveLength(days.length);
    expect(order).toEqual(order.toSorted());
  });
});

test('each request is logged in one structured line, without any of its values', async () => {
  const served = await serveFunction();
  const wallet = await seedWallet({ attestationType: 0 });
  const email = await seedAccount({ wallet });
  const token = await seedToken(wallet);
  const ids: unknown[] = [];
  for (const query of [`wallet=${wallet}`, `email=${email}`, `token=${token}`, '']) {
    ids.push((await send(served.url, { key, target: `?${query}` })).headers['x-request-id']);
  }
  const trace = randomUUID().replaceAll('-', '');
  const traced = {
    target: `?wallet=${wallet}`,
    headers: { 'X-Cloud-Trace-Context': `${trace}/1;o=1` },
  };
  ids.push((await send(served.url, traced)).headers['x-request-id']);
  await served.stop();
  const known = { severity: 'INFO', message: 'lookup', durationMs: expect.any(Number) };
  const project = { project: 'Test DAO', keyId: keyId(hashApiKey(key)) };
  expect(requestEntries(served.output())).toEqual([
    { ...known, requestId: ids[0], status: 200, code: 'ok', mode: 'wallet', ...project, count: 1 },
    { ...known, requestId: ids[1], status: 200, code: 'ok', mode: 'email', ...project, count: 1 },
    { ...known, requestId: ids[2], status: 200, code: 'ok', mode: 'token', ...project, count: 1 },
    { ...known, requestId: ids[3], status: 400, code: 'missing_subject', ...project },
    {
      ...known,
      requestId: trace,
      status: 401,
      code: 'unauthorized',
      'logging.googleapis.com/trace': `projects/demo-poh/traces/${trace}`,
    },
  ]);
  for (const secret of [key, hashApiKey(key), wallet, email, token]) {
    expect(served.output()).not.toContain(secret);
  }
});

test('the log names each key that has a record, active or not, and no other key', async () => {
  const served = await serveFunction();
  const revoked = await seedKey();
  const unusable = `key-${randomUUID()}`;
  await keyRecord(unusable).set({ active: 'true', project: 'Odd DAO' });
  const unknown = `key-${randomUUID()}`;
  const target = `?wallet=${randomWallet()}`;
  // The key is accepted once, so that its next lookup begins before its record has been read.
  await send(served.url, { key: revoked, target });
  await keyRecord(revoked).update({ active: false });
  for (const each of [revoked, unusable, unknown]) await send(served.url, { key: each, target });
  await served.stop();
  const logged = requestEntries(served.output()).map((entry) => [entry['code'], entry['keyId']]);
  expect(logged).toEqual([
    ['ok', keyId(hashApiKey(revoked))],
    ['unauthorized', keyId(hashApiKey(revoked))],
    ['unauthorized', keyId(hashApiKey(unusable))],
    ['unauthorized', undefined],
  ]);
  expect(requestEntries(served.output())[1]).toHaveProperty('project', 'Test DAO');
  expect(served.output()).not.toContain(keyId(hashApiKey(unknown)));
});

async function seedWalletOn(wallet: string, days: readonly string[]): Promise<void> {
  for (const day of days) {
    const record = attestationRecord({
      wallet,
      attestationType: 3,
      contextHashHex: randomContextHash(),
      createdAt: new Date(day),
    });
    await db.collection('attestations').add(record);
  }
}
