// Restoring what a repair has changed: newer writes stay, and no other file is taken for a backup.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { APPLY, EVERY_KIND, RepairCase } from './repairCase.ts';

test('what was written since the repair stays', async () => {
  await using one = await RepairCase.start();
  const confirmed = await one.plant('ready_to_confirm', 'a');
  const deleted = await one.plant('missing_on_chain', 'b');
  await one.repair(...EVERY_KIND, ...APPLY);
  await one.db.doc(confirmed.path).update({ note: 'newer' });
  await one.db.doc(deleted.path).set({ note: 'newer' });
  const before = await one.stored();
  const { status, stdout } = await one.restore('--apply');
  expect(stdout.match(/^left .*the newer write stays$/gm)).toHaveLength(2);
  expect(status).toBe(1);
  expect(await one.stored()).toStrictEqual(before);
});

test('a line that was cut off is of a document that was not changed', async () => {
  await using one = await RepairCase.start();
  await one.plant('missing_on_chain', 'a');
  await one.repair('--missing-on-chain', ...APPLY);
  appendFileSync(one.backup, readFileSync(one.backup, 'utf8').slice(0, 100));
  expect((await one.restore('--apply')).status).toBe(0);
  expect(Object.keys(await one.stored())).toEqual(['attestations/a']);
});

test.each([
  ['no backup', 'a\n', 1, 'Line 1 of '],
  [
    'a document elsewhere',
    '{"project":"P","document":"apiKeys/a","change":"delete","fields":{}}\n',
    1,
    'Line 1',
  ],
  [
    'another project',
    '{"project":"P","document":"attestations/a","change":"delete","fields":{}}\n',
    2,
    'of the project P',
  ],
])('%s is refused before anything is written', async (_, text, expected, message) => {
  await using one = await RepairCase.start();
  writeFileSync(one.backup, text);
  const { status, stderr } = await one.restore('--apply');
  expect(stderr).toContain(message);
  expect(status).toBe(expected);
  expect(await one.stored()).toEqual({});
});

test('a file that is not there', async () => {
  await using one = await RepairCase.start();
  expect(await one.restore()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The backup could not be read: ENOENT'),
  });
});
