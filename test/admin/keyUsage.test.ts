// Tests `keys usage` with real log lines of lookups.

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initializeApp } from 'firebase-admin/app';
import { getFirestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { refuseObject } from '../../tools/doubles/callFaults.ts';
import type { LogEntry } from '../../tools/doubles/cloudLogging.ts';
import { createGoogleCloud, type GoogleCloud } from '../../tools/doubles/googleCloud.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { requestEntries } from '../support/log.ts';
import { randomWallet, seedKey } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runAdmin, spawnAdmin } from './adminCommand.ts';

const PROJECT = `poh-${randomUUID().slice(0, 8)}`;
const DAY_MS = 24 * 60 * 60 * 1000;
const SECOND_MS = 1_000;
const folder = temporaryFolder();
const credentials = join(folder, 'user.json');

let google: GoogleCloud;
let id: string;
let beganMs: number;

/** Looks up with two keys, and revokes one of them. @returns the log lines of that key, one second apart */
async function loggedLookups(): Promise<LogEntry[]> {
  const served = await serveFunction();
  const [key, other] = await Promise.all([seedKey(), seedKey()]);
  id = keyId(hashApiKey(key));
  const wallet = `?wallet=${randomWallet()}`;
  const targets = [wallet, wallet, `?token=${randomUUID()}`];
  for (const target of targets) await send(served.url, { key, target });
  await send(served.url, { key: other, target: wallet });
  const record = openEmulators().db.collection(COLLECTIONS.apiKeys).doc(hashApiKey(key));
  await record.update({ active: false });
  await send(served.url, { key, target: wallet });
  // The key also has a record in the project of the log.
  const inProduction = getFirestore(initializeApp({ projectId: PROJECT }, PROJECT));
  await inProduction.doc(record.path).set((await record.get()).data() ?? {});
  await served.stop();
  return requestEntries(served.output()).map((jsonPayload, second) => ({
    timestamp: at(second),
    jsonPayload,
  }));
}

/** The time of the nth second of the log. */
const at = (second: number): string => new Date(beganMs + second * SECOND_MS).toISOString();

beforeAll(async () => {
  beganMs = Date.now() - DAY_MS;
  google = await createGoogleCloud();
  google.entries.push(...(await loggedLookups()));
  const user = { type: 'authorized_user', client_id: 'a', client_secret: 'b', refresh_token: 'c' };
  writeFileSync(credentials, JSON.stringify(user), { mode: 0o600 });
});
afterAll(() => google.close());

const usage = (...words: string[]) =>
  spawnAdmin(['--firebase-project', PROJECT, 'keys', 'usage', ...words], {
    env: {
      ...google.env,
      GCE_METADATA_HOST: undefined,
      K_SERVICE: undefined,
      GOOGLE_APPLICATION_CREDENTIALS: credentials,
    },
  });

test('shows the last use, and the number of uses by mode and outcome', async () => {
  const { status, stdout, stderr } = await usage(id);
  const minute = (second: number) => at(second).slice(0, 16).replace('T', ' ');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(lines).toEqual([
    ['MODE', 'OUTCOME', 'LOOKUPS', 'FIRST (UTC)', 'LAST (UTC)'],
    ['wallet', 'unauthorized', '1', minute(4), minute(4)],
    ['token', 'token_not_found', '1', minute(2), minute(2)],
    ['wallet', 'ok', '2', minute(0), minute(1)],
  ]);
  expect(stderr).toContain(`Query: jsonPayload.message="lookup" AND jsonPayload.keyId="${id}" AND`);
  expect(stderr).toContain(`The key ${id} was last used at ${minute(2)} UTC.`);
  expect(stderr).toContain(`It was last refused at ${minute(4)} UTC, so somebody still uses it.`);
  expect(status).toBe(0);
});

test('prints JSON for the lookups since a given time', async () => {
  const { stdout } = await usage(id, '--since', at(2), '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    id,
    active: false,
    since: at(2),
    complete: true,
    lastUsedAt: at(2),
    lastRefusedAt: at(4),
    uses: [
      { mode: 'wallet', code: 'unauthorized', lookups: 1, firstAt: at(4), lastAt: at(4) },
      { mode: 'token', code: 'token_not_found', lookups: 1 },
    ],
  });
});

test('counts the lookups of several pages', async () => {
  const [line] = google.entries;
  const many = Array.from({ length: 2_500 }, (_, index) => ({
    timestamp: at(10 + index),
    jsonPayload: { ...line?.jsonPayload },
  }));
  google.entries.push(...many);
  const { stdout } = await usage(id, '--since', at(10), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ complete: true, uses: [{ lookups: 2_500 }] });
  google.entries.splice(-many.length);
});

test('says that a key was not used', async () => {
  const { status, stdout, stderr } = await usage(id, '--since', new Date().toISOString());
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  expect(stderr).toContain(`The key ${id} has not been used since`);
});

test.each([
  ['without the role', 403, 'The caller does not have permission', '--role roles/logging.viewer'],
  [
    'without the API',
    403,
    'Cloud Logging API has not been used in project 1',
    'gcloud services enable logging.googleapis.com',
  ],
  [
    'beyond the quota',
    429,
    "Quota exceeded for quota metric 'Read requests'",
    'so try again in a minute',
  ],
])('says what to do if the log cannot be read: %s', async (_, code, message, says) => {
  google.logging.service.failAll('list', refuseObject(code, message));
  const { status, stdout, stderr } = await usage(id);
  google.logging.service.failAll('list', undefined);
  expect(stderr).toContain(`The log of ${PROJECT} could not be read (HTTP ${code}).`);
  expect(stderr).toContain(says);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});

test.each([
  ['a text that is not an id', ['poh_x'], 'An id is 12 or more hex digits'],
  [
    'an invalid time',
    ['0123456789ab', '--since', 'yesterday'],
    'Write it in the form 2026-11-20T09:00:00Z.',
  ],
  ['asking for the log of the emulators', ['0123456789ab'], 'The emulators keep no log'],
])('%s is a usage error', async (_, words, says) => {
  const { status, stderr } = await runAdmin(['keys', 'usage', ...words]);
  expect(stderr).toContain(says);
  expect(status).toBe(2);
});
