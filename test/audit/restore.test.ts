// Tests `attestations restore`: it keeps newer changes, and refuses files that are not backups.

import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createGoogleCloud, EXCHANGED_TOKEN } from '../../doubles/googleCloud.ts';
import { spawnAdmin } from '../admin/adminCommand.ts';
import { APPLY, EVERY_KIND, RepairCase } from './repairCase.ts';

test('a change after the repair is kept', async () => {
  await using one = await RepairCase.start();
  const confirmed = await one.plant('ready_to_confirm', 'a');
  const deleted = await one.plant('missing_on_chain', 'b');
  await one.repair(...EVERY_KIND, ...APPLY);
  await one.db.doc(confirmed.path).update({ note: 'newer' });
  await one.db.doc(deleted.path).set({ note: 'newer' });
  const before = await one.stored();
  const { status, stdout } = await one.restore('--apply');
  expect(stdout.match(/^skipped .*the newer change is kept$/gm)).toHaveLength(2);
  expect(status).toBe(1);
  expect(await one.stored()).toStrictEqual(before);
});

test('a document is restored exactly, with values of every type', async () => {
  await using one = await RepairCase.start();
  const { path } = await one.plant('missing_on_chain', 'a b%2F"統合');
  await write(one, path, {
    double: { doubleValue: 4 },
    negative: { doubleValue: '-0' },
    nothing: { doubleValue: 'NaN' },
    large: { integerValue: '9223372036854775807' },
    time: { timestampValue: '2026-11-01T12:00:00.123456Z' },
    place: { geoPointValue: { latitude: 47, longitude: 8 } },
    reference: { referenceValue: `projects/${one.project}/databases/(default)/documents/a/b` },
    bytes: { bytesValue: 'AAEC' },
    list: { arrayValue: { values: [{ doubleValue: 1 }, { mapValue: { fields: {} } }] } },
    'a.b c': { nullValue: null },
  });
  const before = await rest(one, path);
  expect((await one.repair('--missing-on-chain', ...APPLY)).status).toBe(0);
  expect(await one.stored()).toEqual({});
  expect((await one.restore('--apply')).status).toBe(0);
  expect(await rest(one, path)).toEqual(before);
  // JSON does not distinguish 4.0 from 4.
  expect(before).toHaveProperty('double', { doubleValue: 4 });
});

test('in production it uses the credentials', async () => {
  await using one = await RepairCase.start();
  const project = `poh-${randomUUID().slice(0, 8)}`;
  const fields = { note: { doubleValue: 4.5 } };
  const line = { project, document: 'attestations/a', change: 'delete', fields };
  writeFileSync(one.backup, `${JSON.stringify(line)}\n`);
  const credentials = join(one.folder, 'user.json');
  const user = { type: 'authorized_user', client_id: 'a', client_secret: 'b', refresh_token: 'c' };
  writeFileSync(credentials, JSON.stringify(user), { mode: 0o600 });
  const google = await createGoogleCloud();
  const words = ['--yes', 'attestations', 'restore', one.backup, '--apply'];
  const env = { ...google.env, K_SERVICE: undefined, GOOGLE_APPLICATION_CREDENTIALS: credentials };
  const { status } = await spawnAdmin(['--firebase-project', project, ...words], { env });
  google.close();
  expect(status).toBe(0);
  const { calls } = google.firestore.service;
  expect(calls.map(({ method }) => method)).toEqual(['batchGet', 'commit']);
  for (const { headers: sent } of calls) {
    expect(sent.authorization).toBe(`Bearer ${EXCHANGED_TOKEN}`);
  }
  expect(await rest({ project }, 'attestations/a')).toEqual(fields);
});

test('a truncated last line is ignored, because its document was not changed', async () => {
  await using one = await RepairCase.start();
  await one.plant('missing_on_chain', 'a');
  await one.repair('--missing-on-chain', ...APPLY);
  appendFileSync(one.backup, readFileSync(one.backup, 'utf8').slice(0, 100));
  expect((await one.restore('--apply')).status).toBe(0);
  expect(Object.keys(await one.stored())).toEqual(['attestations/a']);
});

test.each([
  ['a file that is not a backup', 'a\n', 1, 'Line 1 of '],
  [
    'a document of another collection',
    '{"project":"P","document":"apiKeys/a","change":"delete","fields":{}}\n',
    1,
    'Line 1',
  ],
  [
    'another project',
    '{"project":"P","document":"attestations/a","change":"delete","fields":{}}\n',
    2,
    'belongs to the project P',
  ],
])('%s is refused, and nothing is written', async (_, text, expected, message) => {
  await using one = await RepairCase.start();
  writeFileSync(one.backup, text);
  const { status, stderr } = await one.restore('--apply');
  expect(stderr).toContain(message);
  expect(status).toBe(expected);
  expect(await one.stored()).toEqual({});
});

test('a missing file is reported', async () => {
  await using one = await RepairCase.start();
  expect(await one.restore()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The backup could not be read: ENOENT'),
  });
});

const urlOf = ({ project }: { project: string }, path: string): string =>
  `http://${process.env['FIRESTORE_EMULATOR_HOST']}/v1/projects/${project}/databases/(default)/documents/` +
  path.split('/').map(encodeURIComponent).join('/');
const headers = { Authorization: 'Bearer owner' };

/** Reads the fields of a document in the form of Firestore's REST API. */
async function rest(one: { project: string }, path: string): Promise<unknown> {
  const response = await fetch(urlOf(one, path), { headers });
  const { fields } = z.object({ fields: z.looseObject({}) }).parse(await response.json());
  return fields;
}

/** Adds fields to a document. */
async function write(one: RepairCase, path: string, fields: object): Promise<void> {
  const masks = new URLSearchParams();
  for (const name of Object.keys(fields)) masks.append('updateMask.fieldPaths', `\`${name}\``);
  const url = `${urlOf(one, path)}?${masks}`;
  const body = JSON.stringify({ fields });
  const response = await fetch(url, { method: 'PATCH', headers, body });
  expect(await response.json()).toHaveProperty('updateTime');
}
