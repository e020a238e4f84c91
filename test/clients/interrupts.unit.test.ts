// Tests that a lookup ends soon after its caller gives up.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '../../clients/typescript/index.ts';
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
