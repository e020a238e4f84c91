// Tests the preconditions of a repair's writes, and what happens when Firestore refuses one.

import { afterAll, expect, test } from 'vitest';
import { openDocuments } from '../../admin/repair/documents.ts';
import { openOwnProject } from '../support/ownProject.ts';

const { project, db } = openOwnProject();
const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
const documents = openDocuments({ project, emulator });
const [STATUS, PATH] = [{ status: { stringValue: 'x' } }, 'attestations/a'];

afterAll(() => db.terminate());

/** Creates a document, and reads it as it was before `change`. */
async function readBefore(path: string, change: () => Promise<unknown>) {
  await db.doc(path).set({ status: 'a' });
  const read = await documents.read(path);
  await change();
  if (read === undefined) throw new Error(`${path} was not written`);
  return read;
}

test.each([
  ['written', () => db.doc(PATH).update({ note: 'newer' })],
  ['deleted', () => db.doc(PATH).delete()],
])('a document that was %s since it was read is not written', async (_, change) => {
  const read = await readBefore(PATH, change);
  const before = (await db.doc(PATH).get()).data();
  expect(await documents.commit([{ update: read, only: STATUS }])).toBe(false);
  expect(await documents.commit([{ delete: read }])).toBe(false);
  expect((await db.doc(PATH).get()).data()).toEqual(before);
});

test('a document without fields can be read', async () => {
  await db.doc('attestations/empty').set({});
  expect(await documents.read('attestations/empty')).toMatchObject({ fields: {} });
});

test('a document that exists is not created', async () => {
  const read = await readBefore(PATH, async () => undefined);
  expect(await documents.commit([{ create: PATH, fields: STATUS }])).toBe(false);
  expect(await documents.read(PATH)).toEqual(read);
});

test('of several writes, all are made or none', async () => {
  const kept = await readBefore('attestations/kept', () =>
    db.doc('attestations/kept').update({ note: 'newer' }),
  );
  const read = await readBefore(PATH, async () => undefined);
  expect(await documents.commit([{ delete: read }, { update: kept, only: STATUS }])).toBe(false);
  expect(await documents.read(PATH)).toEqual(read);
  const now = await documents.read('attestations/kept');
  if (now === undefined) throw new Error('the document to keep is gone');
  expect(await documents.commit([{ delete: read }, { update: now, only: STATUS }])).toBe(true);
  expect(await documents.read(PATH)).toBeUndefined();
  expect((await db.doc('attestations/kept').get()).data()).toEqual({ status: 'x', note: 'newer' });
});

test('another refusal is a failure, not a conflict', async () => {
  const fields = { status: { unknownValue: 1 } };
  await expect(documents.commit([{ create: 'attestations/b', fields }])).rejects.toThrow();
});
