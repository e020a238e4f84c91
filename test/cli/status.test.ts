// Tests `status` against the emulators.

import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Timestamp } from 'firebase-admin/firestore';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { servedUrl } from '../support/endpoints.ts';
import { openOwnProject, seedKey, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { expectOk, runAdmin } from './adminCommand.ts';

afterAll(() => vi.unstubAllEnvs());

const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);
const folder = temporaryFolder();

/** @returns a file with the summary of an audit */
function summary(found: number, complete = true): string {
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify({ complete, found, auditedAt: hoursAgo(1).toISOString() }));
  return file;
}

async function openMirror(...syncedAt: unknown[]) {
  const { project, db } = openOwnProject();
  await Promise.all(syncedAt.map((each) => db.collection('attestations').add({ syncedAt: each })));
  const run = (...words: string[]) => runAdmin(['--firebase-project', project, ...words]);
  const update = async (...words: string[]) =>
    expectOk(await run('status', 'update', ...words))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const stored = async () => (await db.doc('status/mirror').get()).data();
  return { run, update, stored };
}

const inOtherZone = (date: Date): string =>
  new Date(date.getTime() + 5 * HOUR_MS).toISOString().replace('Z', '+05:00');

test.each([
  ['a Timestamp', [hoursAgo(90), hoursAgo(3), hoursAgo(80)], 3, 'ok'],
  ['a text', [hoursAgo(90).toISOString(), hoursAgo(3).toISOString()], 3, 'ok'],
  ['a text of another zone', [hoursAgo(4).toISOString(), inOtherZone(hoursAgo(3))], 3, 'ok'],
  ['a text among Timestamps', [hoursAgo(90), hoursAgo(3).toISOString()], 3, 'ok'],
  ['none of the future', [hoursAgo(-1), hoursAgo(-2).toISOString(), hoursAgo(3)], 3, 'ok'],
  ['almost 72 hours ago', [hoursAgo(71.9)], 71.9, 'ok'],
  ['more than 72 hours ago', [hoursAgo(72.1)], 72.1, 'stopped'],
  ['no document', [], undefined, 'empty'],
  ['no usable time', ['yesterday', 7], undefined, 'empty'],
])('the newest syncedAt is found: %s', async (_, times, hours, state) => {
  const { update, stored } = await openMirror(...times);
  const severity = state === 'ok' ? 'INFO' : 'ERROR';
  expect(await update()).toMatchObject([{ message: 'mirror', state, severity }]);
  const { newestSyncedAt, asOf } = (await stored()) ?? {};
  expect(asOf).toBeInstanceOf(Timestamp);
  const age = newestSyncedAt && (Date.now() - newestSyncedAt.toMillis()) / HOUR_MS;
  if (hours === undefined) expect(newestSyncedAt).toBeUndefined();
  else expect(age).toBeCloseTo(hours, 1);
});

test('a number of findings is news once, and the notice stays', async () => {
  const { run, update, stored } = await openMirror(hoursAgo(3));
  const notice = 'Late today. '.padEnd(300, 'x');
  expect(await run('status', 'notice', notice)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('The page shows the notice.'),
  });
  const states = [];
  for (const found of [2, 2, 3, 1, 0, 0, 2]) {
    const [{ state, severity }, ...others] = await update('--audit', summary(found));
    expect(others).toEqual([]);
    states.push(`${state} ${severity}`);
  }
  const news = 'findings WARNING';
  expect(states).toEqual([news, 'ok INFO', news, news, 'ok INFO', 'ok INFO', news]);
  // An hour without a new audit.
  expect(await update()).toMatchObject([{ state: 'ok' }]);
  expect(await stored()).toMatchObject({
    findings: 2,
    auditedAt: expect.any(Timestamp),
    notice,
  });
  expectOk(await run('status', 'notice'));
  expect(await stored()).not.toHaveProperty('notice');
});

test('findings of a mirror that has stopped are two reports', async () => {
  const [newest, file] = [hoursAgo(100), summary(1)];
  const { update } = await openMirror(newest);
  const { auditedAt } = JSON.parse(readFileSync(file, 'utf8'));
  const line = { message: 'mirror', newestSyncedAt: newest.toISOString(), auditedAt, findings: 1 };
  expect(await update('--audit', file)).toEqual([
    { severity: 'ERROR', state: 'stopped', ...line },
    { severity: 'WARNING', state: 'findings', ...line },
  ]);
});

test('refuses a notice that no page could show, and an audit that did not end', async () => {
  const { run, stored } = await openMirror();
  const refused = [
    await run('status', 'notice', ''),
    await run('status', 'notice', 'x'.repeat(301)),
    await run('status', 'notice', 'a\nb'),
    await run('status', 'update', '--audit', summary(0, false)),
  ];
  expect(refused.map(({ status }) => status)).toEqual([2, 2, 2, 2]);
  expect(await stored()).toBeUndefined();
});

test('the canary is answered with its token, and no longer once it is revoked', async () => {
  const CANARY_KEY = await seedKey({ modes: ['token'] });
  const canary = async (wallet: string, key = CANARY_KEY, url = servedUrl) => {
    vi.stubEnv('CANARY_KEY', key);
    return await runAdmin(['status', 'canary', '--url', url, '--wallet', wallet]);
  };
  const [verified, voter] = [
    await seedWallet({ attestationType: 0 }),
    await seedWallet({ attestationType: 1 }),
  ];
  expect(await canary(verified)).toMatchObject({ status: 0 });
  const failed = await canary(voter);
  expect(failed).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('got false for its token'),
  });
  expect(failed.stderr + failed.stdout).not.toContain(CANARY_KEY);
  expect(await canary(verified, 'unknown')).toMatchObject({ status: 1 });
  expect(await canary(verified, '')).toMatchObject({ status: 2 });
  expect(await canary(verified, CANARY_KEY, 'http://127.0.0.1:9')).toMatchObject({ status: 1 });
  // A service that knows no revocation, and one that would send the key elsewhere.
  const server = createServer(({ url = '' }, response) => {
    const isMoved = url.startsWith('/moved');
    response.writeHead(isMoved ? 307 : 200, { Location: '/' });
    response.end(isMoved ? '' : '{"hasVerifiedHuman":true}');
  });
  const other = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close().closeAllConnections());
  expect((await canary(verified, CANARY_KEY, other)).stderr).toContain('and true once it was rev');
  const moved = await canary(verified, CANARY_KEY, `${other}/moved`);
  expect(moved.stderr).toContain('got 307 for its token');
  const tokens = await openEmulators()
    .db.collection('verificationTokens')
    .where('uid', '==', 'canary')
    .get();
  expect(new Set(tokens.docs.map((each) => each.get('revoked')))).toEqual(new Set([true]));
});
