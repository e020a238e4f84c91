import { createServer, type ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { Connections, readResponse } from '../../functions/src/google/exchange.ts';
import { listen } from '../../tools/sandbox/freePort.ts';

const BEGIN = 'x'.repeat(200_000);
const REST = 'y'.repeat(20_000);
const CONCURRENT_READS = 4;
const ALL = 8;
const POLL = { timeout: 15_000, interval: 10 };

const responses: ServerResponse[] = [];
const server = createServer((_, response) => {
  response.write(BEGIN);
  responses.push(response);
});
afterAll(() => server.closeAllConnections());

test('long responses take turns, and a silent one gives up its turn', async () => {
  const connections = new Connections(`http://127.0.0.1:${await listen(server)}`);
  const lengths: number[] = Array.from({ length: ALL }, () => 0);
  /** How much of a response had been read when it was reported as silent. */
  const silent: number[] = [];
  const reading = lengths.map((_, index) => {
    const request = connections.send('/', {}, undefined, () => silent.push(lengths[index] ?? 0));
    const onData = (text: string): void => {
      lengths[index] = (lengths[index] ?? 0) + text.length;
    };
    return readResponse(request, () => ({ onData, result: () => lengths[index] }));
  });
  const started = () => lengths.filter((length) => length === BEGIN.length).length;
  await expect.poll(started, POLL).toBe(CONCURRENT_READS);
  // The other responses have begun to arrive too, but are not read completely.
  await expect.poll(() => Math.min(...lengths), POLL).toBeGreaterThan(0);
  expect(started()).toBe(CONCURRENT_READS);

  await expect.poll(started, POLL).toBe(ALL);
  // The first responses gave up their turns, and no waiting response was reported as silent.
  expect(silent.length).toBeGreaterThanOrEqual(ALL - CONCURRENT_READS);
  expect(silent.filter((length) => length !== BEGIN.length)).toEqual([]);

  for (const response of responses) response.end(REST);
  expect(await Promise.all(reading)).toEqual(lengths.map(() => BEGIN.length + REST.length));
});
