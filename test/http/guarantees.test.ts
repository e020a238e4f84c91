// Tests the parameters of a deployment and what the function logs, with the function served as in production.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { servedUrl } from '../support/endpoints.ts';
import { loggedEntries, requestEntries, send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet, votes } from '../support/seed.ts';

const { auth, db } = openEmulators();

const key = await seedKey();

test('where the deployment says so, only verified addresses count, and each key has a budget or its own', async () => {
  const parameters = { LOOKUP_VERIFIED_EMAIL_ONLY: 'true', LOOKUP_READS_PER_SECOND: '1' };
  const served = await serveFunction(parameters);
  // Pays for one lookup, and leaves the key in debt for a minute.
  const email = await seedAccount({ wallet: await seedWallet(...votes(70)) });
  const lookUp = (url: string, apiKey = key) =>
    send(url, { key: apiKey, target: `?email=${email}` });
  expect((await lookUp(served.url)).json.code).toBe('email_not_found');
  expect((await lookUp(servedUrl)).status).toBe(200);
  await auth.updateUser((await auth.getUserByEmail(email)).uid, { emailVerified: true });
  expect((await lookUp(served.url)).status).toBe(200);
  const { json, headers } = await lookUp(served.url);
  expect(json.code).toBe('rate_limited');
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  expect((await lookUp(servedUrl)).status).toBe(200);
  const ownBudget = await seedKey({ readsPerSecond: 1_000 });
  for (const _ of ['first', 'second']) {
    expect((await lookUp(served.url, ownBudget)).status).toBe(200);
  }
  await served.stop();
});

test('each request is logged in one structured line, with the key if it has a record, and without any of its values', async () => {
  const served = await serveFunction();
  const wallet = await seedWallet({ attestationType: 0 });
  const email = await seedAccount({ wallet });
  const token = await seedToken(wallet);
  const [revoked, unusable, unknown] = [await seedKey(), `key-${randomUUID()}`, randomUUID()];
  const limited = await seedKey({ modes: ['email'] });
  const record = (apiKey: string) => db.collection('apiKeys').doc(hashApiKey(apiKey));
  await record(unusable).set({ active: 'true', project: 'Odd DAO' });
  const trace = randomUUID().replaceAll('-', '');
  const line = (status: number, code: string, more: object, apiKey?: string) => ({
    ...{
      severity: 'INFO',
      message: 'lookup',
      durationMs: expect.any(Number),
      status,
      code,
      reads: 1,
    },
    ...(apiKey !== undefined && { project: 'Test DAO', keyId: keyId(hashApiKey(apiKey)) }),
    ...more,
  });
  const lookUp = async (target: string, apiKey: string, expected: object, headers = {}) => {
    const response = await send(served.url, { key: apiKey, target, headers });
    return { ...expected, requestId: response.headers['x-request-id'] };
  };
  const found = (mode: string, reads: number) => line(200, 'ok', { mode, count: 1, reads }, key);
  const byWallet = `?wallet=${wallet}`;
  const refused = (more: object, apiKey?: string) => line(401, 'unauthorized', more, apiKey);
  const lines = [
    await lookUp(byWallet, key, found('wallet', 2)),
    await lookUp(`?email=${email}`, key, found('email', 2)),
    await lookUp(`?token=${token}`, key, found('token', 3)),
    await lookUp(byWallet, limited, line(403, 'mode_not_allowed', { mode: 'wallet' }, limited)),
    await lookUp('?', key, line(400, 'missing_subject', {}, key)),
    await lookUp('?', revoked, line(400, 'missing_subject', {}, revoked)),
  ];
  await record(revoked).update({ active: false });
  const tracing = { 'logging.googleapis.com/trace': `projects/demo-poh/traces/${trace}` };
  lines.push(
    // The key was accepted once, so this lookup begins before its record has been read.
    await lookUp(byWallet, revoked, refused({ reads: expect.any(Number) }, revoked)),
    await lookUp(byWallet, unusable, refused({ project: 'Odd DAO' }, unusable)),
    await lookUp(byWallet, unknown, refused(tracing), {
      'X-Cloud-Trace-Context': `${trace}/1;o=1`,
    }),
  );
  await served.stop();
  expect(loggedEntries(served.output())[0]).toMatchObject({
    message: 'started',
    commit: expect.any(String),
    node: process.version,
    server: 'own',
  });
  expect(requestEntries(served.output())).toEqual(lines);
  expect(lines.at(-1)).toHaveProperty('requestId', trace);
  const warnings = loggedEntries(served.output()).filter(({ severity }) => severity === 'WARNING');
  expect(warnings).toEqual([
    expect.objectContaining({
      keyId: keyId(hashApiKey(unusable)),
      message: expect.stringContaining('its record has no boolean field active'),
    }),
  ]);
  const keys = [key, limited, revoked, unusable, unknown];
  const secrets = [
    ...keys,
    ...keys.map(hashApiKey),
    keyId(hashApiKey(unknown)),
    wallet,
    email,
    token,
  ];
  for (const secret of secrets) expect(served.output()).not.toContain(secret);
});
