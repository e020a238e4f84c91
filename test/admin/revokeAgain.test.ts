// Tests `keys revoke-again` after a restore that reactivated revoked keys.

import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runAdmin } from './adminCommand.ts';

const { db } = openEmulators();
const records = db.collection(COLLECTIONS.apiKeys);
const keys = (...words: string[]) => runAdmin(['keys', ...words]);
const idOf = (key: string) => keyId(hashApiKey(key));

const folder = temporaryFolder();

async function fileWith(text: string): Promise<string> {
  const file = join(folder, randomUUID());
  await writeFile(file, text);
  return file;
}

const statusWith = async (key: string): Promise<number> =>
  (await send(servedUrl, { key, target: `?wallet=${randomWallet()}` })).status;

async function create(project: string): Promise<string> {
  return (await keys('create', '--project', project)).stdout;
}

/** Creates two keys, takes a backup, revokes one key, creates a third, and restores the backup. */
async function restoreBackup() {
  const project = `Test DAO ${randomUUID()}`;
  const [kept, revoked] = [await create(project), await create(project)];
  const backup = await Promise.all(
    [kept, revoked].map((key) => records.doc(hashApiKey(key)).get()),
  );
  await keys('revoke', idOf(revoked));
  const lost = await create(project);
  const { stdout: list } = await keys('list', '--project', project, '--json');
  await records.doc(hashApiKey(lost)).delete();
  for (const record of backup) await record.ref.set(record.data() ?? {});
  return { kept, revoked, lost, list };
}

test('after a restore, the saved list revokes exactly the key that was revoked before', async () => {
  const { kept, revoked, lost, list } = await restoreBackup();
  expect(await Promise.all([kept, revoked].map(statusWith))).toEqual([200, 200]);
  const file = await fileWith(list);
  const { status, stdout, stderr } = await keys('revoke-again', '--from', file);
  expect(stdout).toMatch(new RegExp(`^ID +PROJECT +HINT\\n${idOf(revoked)} .*\\n$`));
  expect(stderr).toContain('Active again: 1 of the 1 revoked keys in the file.');
  expect(stderr).toContain(`Active in the file, but without a record now: ${idOf(lost)}. `);
  expect(status).toBe(0);
  expect(await Promise.all([kept, revoked].map(statusWith))).toEqual([200, 401]);

  const again = await keys('revoke-again', '--from', file);
  expect(again.stderr).toContain('None of the 1 revoked keys in the file is active');
  expect([again.status, again.stdout]).toEqual([0, '']);
});

test('a list of ids is accepted too', async () => {
  const { kept, revoked } = await restoreBackup();
  const file = await fileWith(`${idOf(revoked)}\n\n${idOf(randomUUID())}\n`);
  const { stderr } = await keys('revoke-again', '--from', file);
  expect(stderr).toContain('Active again: 1 of the 2 revoked keys in the file.');
  expect(await Promise.all([kept, revoked].map(statusWith))).toEqual([200, 401]);
});

test.each([
  ['a truncated list', '[{"id":"0123456789ab","active":false},{"id":"0123'],
  ['a list of tokens', '[{"token":"x"}]'],
  ['truncated ids', '0123456789ab\n0123456789\n'],
  ['nothing', '\n'],
])('refuses %s, and changes nothing', async (_, text) => {
  const { status, stderr } = await keys('revoke-again', '--from', await fileWith(text));
  expect(stderr).toContain(
    'is neither the complete output of `keys list --json` nor a list of ids',
  );
  expect(stderr).not.toContain('Project ');
  expect(status).toBe(2);
});
