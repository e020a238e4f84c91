// Tests that a lookup ends soon after its caller gives up.

import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '../../clients/typescript/index.ts';
import { LANGUAGES } from './drivers.ts';
import { type HostileServer, startHostileServer } from './hostileServer.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test('TypeScript ends a pause when the signal is aborted', async () => {
  const url = server.url('down', 'aborted');
  const giveUp = new AbortController();
  const client = new Client({ url, key: 'a-key', pause: 3_600_000 });
  const lookup = client.lookUp({ token: 'a-token' }, { signal: giveUp.signal });
  const reason = new Error('given up');
  await expect.poll(() => server.times.get('down aborted')).toHaveLength(1);
  setTimeout(() => giveUp.abort(reason), 200);
  await expect(lookup).rejects.toBe(reason);
});

test('TypeScript adds one listener to the signal of many lookups, and leaves none', async () => {
  const url = server.url('down', 'listened');
  const giveUp = new AbortController();
  const listeners = () => getEventListeners(giveUp.signal, 'abort').length;
  const client = new Client({ url, key: 'a-key', pause: 3_600_000 });
  const tokens = Array.from({ length: 20 }, (_, index) => ({ token: `t-${index}` }));
  const first = client.lookUpMany(tokens, { signal: giveUp.signal }).next();
  await expect.poll(() => server.times.get('down listened')).toHaveLength(16);
  expect(listeners()).toBe(1);
  giveUp.abort(new Error('given up'));
  await expect(first).rejects.toThrow('given up');
  expect(listeners()).toBe(0);
});

test.skipIf(!LANGUAGES.some(({ name }) => name === 'Python'))(
  'Python ends many lookups with Ctrl-C, without waiting for those in flight',
  async () => {
    const program = `
from poh_attestations import Client
client = Client("${server.url('stalling', 'interrupted')}", "a-key", timeout=3600)
for found in client.look_up_many([{"token": f"t-{index}"} for index in range(20)]): pass`;
    const PYTHONPATH = fileURLToPath(new URL('../../clients/python', import.meta.url));
    const env = { ...process.env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' };
    const python = spawn('python3', ['-c', program], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = text(python.stderr);
    await expect.poll(() => server.times.get('stalling interrupted')).toHaveLength(16);
    python.kill('SIGINT');
    await once(python, 'exit');
    expect(await stderr).toMatch(/KeyboardInterrupt\s*$/);
  },
);
