// Tests that `attestations restore` keeps newer changes, and refuses files that are not backups.

import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { withRun } from '../../admin/frame/run.ts';
import { runRestore } from '../../admin/repair/backup.ts';
import { createGoogleCloud, EXCHANGED_TOKEN } from '../../tools/doubles/googleCloud.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { spawnAdmin } from '../admin/adminCommand.ts';
import { APPLY, EVERY_KIND, RepairCase } from './repairCase.ts';

test('a change after the repair is kept', async () => {
  await using mirror = await RepairCase.start();
  const confirmed = await mirror.plant('ready_to_confirm', 'a');
  const deleted = await mirror.plant('missing_on_chain', 'b');
  await mirror.repair(...EVERY_KIND, ...APPLY);
  await mirror.db.doc(confirmed.path).update({ note: 'newer' });
  await mirror.db.doc(deleted.path).set({});
  const before = await mirror.stored();
  const { status, stdout } = await mirror.restore('--apply');
  expect(stdout.match(/^skipped .*the newer change is kept$/gm)).toHaveLength(2);
  expect(status).toBe(1);
  expect(await mirror.stored()).toStrictEqual(before);
});

test('a document is restored exactly, with values of every type', async () => {
  await using mirror = await RepairCase.start();
  const { path } = await mirror.plant('missing_on_chain', 'a b%2F"統合');
  await writeRest(mirror, path, {
    double: { doubleValue: 4 },
    negative: { doubleValue: '-0' },
    nothing: { doubleValue: 'NaN' },
    large: { integerValue: '9223372036854775807' },
    time: { timestampValue: '2026-11-01T12:00:00.123456Z' },
    place: { geoPointValue: { latitude: 47, longitude: 8 } },
    reference: { referenceValue: `projects/${mirror.project}/databases/(default)/documents/a/b` },
    bytes: { bytesValue: 'AAEC' },
    list: { arrayValue: { values: [{ doubleValue: 1 }, { mapValue: { fields: {} } }] } },
    'a.b c': { nullValue: null },
  });
  const before = await readRest(mirror, path);
  expect((await mirror.repair('--missing-on-chain', ...APPLY)).status).toBe(0);
  expect(await mirror.stored()).toEqual({});
  // A truncated last line is ignored, because its document was not changed.
  appendFileSync(mirror.backup, readFileSync(mirror.backup, 'utf8').slice(0, 100));
  expect((await mirror.restore('--apply')).status).toBe(0);
  expect(await readRest(mirror, path)).toEqual(before);
  // JSON does not distinguish 4.0 from 4.
  expect(before).toHaveProperty('double', { doubleValue: 4 });
});

/** Answers in place of Firestore: finds no document, and refuses every write. */
async function restoreWhereRefused(refusal: string) {
  await using mirror = await RepairCase.start();
  const saved = { project: 'demo-poh', document: 'attestations/a', change: 'delete', fields: {} };
  writeFileSync(mirror.backup, `${JSON.stringify(saved)}\n`);
  const server = createServer(({ url = '' }, response) => {
    const isRead = url.endsWith(':batchGet');
    response.writeHead(isRead ? 200 : 409, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isRead ? [{ missing: 'a' }] : { error: { status: refusal } }));
  });
  const target = { project: 'demo-poh', emulator: `127.0.0.1:${await listen(server)}` };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const restore = () => runRestore(target, mirror.backup, async () => undefined);
  const status = await withRun({ stdout, stderr }, restore).finally(() => server.close());
  return { status, stdout: String(stdout.read()) };
}

test.each(['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION', 'ABORTED'])(
  'a document whose restoration ends with %s was written by somebody else, and is skipped',
  async (refusal) => {
    expect(await restoreWhereRefused(refusal)).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^skipped {4}attestations\/a {2}it has been changed since/),
    });
  },
);

test('another refusal is a failure', async () => {
  await expect(restoreWhereRefused('INVALID_ARGUMENT')).rejects.toThrow();
});

test('in production it uses the credentials', async () => {
  await using mirror = await RepairCase.start();
  const project = `poh-${randomUUID().slice(0, 8)}`;
  const fields = { note: { doubleValue: 4.5 } };
  const saved = { project, document: 'attestations/a', change: 'delete', fields };
  writeFileSync(mirror.backup, `${JSON.stringify(saved)}\n`);
  const credentials = join(mirror.folder, 'user.json');
  const user = { type: 'authorized_user', client_id: 'a', client_secret: 'b', refresh_token: 'c' };
  writeFileSync(credentials, JSON.stringify(user), { mode: 0o600 });
  const google = await createGoogleCloud();
  const words = ['--yes', 'attestations', 'restore', mirror.backup, '--apply'];
  const env = { ...google.env, K_SERVICE: undefined, GOOGLE_APPLICATION_CREDENTIALS: credentials };
  const { status } = await spawnAdmin(['--firebase-project', project, ...words], { env });
  google.close();
  expect(status).toBe(0);
  const { calls } = google.firestore.service;
  expect(calls.map(({ method }) => method)).toEqual(['batchGet', 'commit']);
  for (const { headers: sent } of calls) {
    expect(sent.authorization).toBe(`Bearer ${EXCHANGED_TOKEN}`);
  }
  expect(await readRest({ project }, 'attestations/a')).toEqual(fields);
});

const line = (document: string): string =>
  `${JSON.stringify({ project: 'P', document, change: 'delete', fields: {} })}\n`;

test.each([
  ['a missing file', undefined, 'The backup could not be read: ENOENT'],
  ['a file that is not a backup', 'a\n', 'Line 1 of '],
  ['a document of another collection', line('apiKeys/a'), 'Line 1'],
  ['another project', line('attestations/a'), 'belongs to the Firebase project P'],
])('%s is refused, and nothing is written', async (_, text, message) => {
  await using mirror = await RepairCase.start();
  if (text !== undefined) writeFileSync(mirror.backup, text);
  const { status, stderr } = await mirror.restore('--apply');
  expect(stderr).toContain(message);
  expect(status).toBe(2);
  expect(await mirror.stored()).toEqual({});
});

const urlOf = ({ project }: { project: string }, path: string): string =>
  `http://${process.env['FIRESTORE_EMULATOR_HOST']}/v1/projects/${project}/databases/(default)/documents/` +
  path.split('/').map(encodeURIComponent).join('/');
const headers = { Authorization: 'Bearer owner' };

/** Reads the fields of a document in the form of Firestore's REST API. */
async function readRest(mirror: { project: string }, path: string): Promise<unknown> {
  const response = await fetch(urlOf(mirror, path), { headers });
  const { fields } = z.object({ fields: z.looseObject({}) }).parse(await response.json());
  return fields;
}

/** Adds fields to a document. */
async function writeRest(mirror: RepairCase, path: string, fields: object): Promise<void> {
  const masks = new URLSearchParams();
  for (const name of Object.keys(fields)) masks.append('updateMask.fieldPaths', `\`${name}\``);
  const url = `${urlOf(mirror, path)}?${masks}`;
  const body = JSON.stringify({ fields });
  const response = await fetch(url, { method: 'PATCH', headers, body });
  expect(await response.json()).toHaveProperty('updateTime');
}
