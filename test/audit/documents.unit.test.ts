// Tests the repair's and the restore's requests to Firestore with responses that the emulator does not give on demand.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { withRun } from '../../admin/frame/run.ts';
import { openDocuments } from '../../admin/repair/documents.ts';
import { runRestore } from '../../admin/repair/restore.ts';
import { portOf } from '../../tools/sandbox/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Starts a server in place of Firestore. */
async function startFirestore(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { project: 'demo-poh', emulator: `127.0.0.1:${portOf(server)}` };
}

/** Finds no document, and refuses every write. */
const refusing =
  (status: string): RequestListener =>
  ({ url = '' }, response) => {
    const isRead = url.endsWith(':batchGet');
    response.writeHead(isRead ? 200 : 409, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isRead ? [{ missing: 'a' }] : { error: { status } }));
  };

test.each(['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION', 'ABORTED'])(
  'a write that ends with %s was not made, because of another',
  async (status) => {
    const documents = openDocuments(await startFirestore(refusing(status)));
    expect(await documents.commit([{ create: 'attestations/a', fields: {} }])).toBe(false);
  },
);

test('a document that is created during its restoration is skipped', async () => {
  const target = await startFirestore(refusing('ALREADY_EXISTS'));
  const file = join(temporaryFolder(), 'backup.jsonl');
  const line = { project: 'demo-poh', document: 'attestations/a', change: 'delete', fields: {} };
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  const run = { stdout: new PassThrough(), stderr: new PassThrough() };
  expect(await withRun(run, () => runRestore(target, file, async () => undefined))).toBe(1);
  run.stdout.end();
  expect(await text(run.stdout)).toMatch(
    /^skipped {4}attestations\/a {2}it has been changed since/,
  );
});

test('a read ends after 10 seconds without a response', async () => {
  const documents = openDocuments(await startFirestore(() => undefined));
  const startedAt = performance.now();
  await expect(documents.read('attestations/a')).rejects.toThrow(/abort/i);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
}, 20_000);
