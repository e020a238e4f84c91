// Tests refusals of Firestore that the emulator does not give on demand.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { withRun } from '../../admin/frame/run.ts';
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
  'a document whose restoration ends with %s was written by somebody else, and is skipped',
  async (status) => {
    expect(await restoreFrom(refusing(status))).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^skipped {4}attestations\/a {2}it has been changed since/),
    });
  },
);

test('another refusal is a failure', async () => {
  await expect(restoreFrom(refusing('INVALID_ARGUMENT'))).rejects.toThrow();
});

/** Restores a document whose backup says that a repair deleted it. */
async function restoreFrom(firestore: RequestListener) {
  const target = await startFirestore(firestore);
  const file = join(temporaryFolder(), 'backup.jsonl');
  const line = { project: 'demo-poh', document: 'attestations/a', change: 'delete', fields: {} };
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  const run = { stdout: new PassThrough(), stderr: new PassThrough() };
  const status = await withRun(run, () => runRestore(target, file, async () => undefined));
  run.stdout.end();
  return { status, stdout: await text(run.stdout) };
}
