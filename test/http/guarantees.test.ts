// Tests the contract's promises that are not in its tables, with the function served as in production.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { requestEntries } from '../support/log.ts';
import { randomWallet, seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const { auth, db } = openEmulators();

const key = await seedKey();

const keyRecord = (apiKey: string) => db.collection('apiKeys').doc(hashApiKey(apiKey));

/** A response without its date and request id. */
async function comparable(query: string, apiKey: string): Promise<string> {
  const { status, headers, text } = await send(servedUrl, {
    key: apiKey,
    target: `?${query}`,
  });
  const { date: _, ...others } = headers;
  const id = String(headers['x-request-id']);
  return JSON.stringify({ status, others, text }).replaceAll(id, 'ID');
}

test('unknown, revoked and unusable keys get the same response except for the request id', async () => {
  const unusable = `key-${randomUUID()}`;
  await keyRecord(unusable).set({ active: 'true' });
  const keys = [`key-${randomUUID()}`, await seedKey({ active: false }), unusable, '🙂'];
  const query = `wallet=${randomWallet()}`;
  const responses = await Promise.all(keys.map((bad) => comparable(query, bad)));
  expect([...new Set(responses)]).toEqual([expect.stringContaining('"status":401')]);
});

test('unknown, revoked, expired and malformed tokens get the same response', async () => {
  const wallet = randomWallet();
  const revoked = await seedToken(wallet, { revoked: true });
  const expired = await seedToken(wallet, { createdAt: new Date(0) });
  const tokens = [randomUUID(), revoked, expired, 'malformed'];
  const responses = await Promise.all(tokens.map((token) => comparable(`token=${token}`, key)));
  expect([...new Set(responses)]).toEqual([expect.stringContaining('token_not_found')]);
});

test('where only verified addresses count, the wallet of an unverified one is not found', async () => {
  const served = await serveFunction({ LOOKUP_VERIFIED_EMAIL_ONLY: 'true' });
  const email = await seedAccount({ wallet: await seedWallet() });
  const lookUp = (url: string) => send(url, { key, target: `?email=${email}` });
  expect((await lookUp(served.url)).json.code).toBe('email_not_found');
  expect((await lookUp(servedUrl)).status).toBe(200);
  await auth.updateUser((await auth.getUserByEmail(email)).uid, { emailVerified: true });
  expect((await lookUp(served.url)).status).toBe(200);
  await served.stop();
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
