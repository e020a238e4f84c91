import { createServer, type ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../doubles/listen.ts';
import { Connections, readResponse } from '../../functions/src/google/exchange.ts';

const BEGIN = 'x'.repeat(200_000);
const REST = 'y'.repeat(20_000);
const READ_AT_ONCE = 8;
const ALL = 12;
const POLL = { timeout: 10_000, interval: 10 };

const responses: ServerResponse[] = [];
const server = createServer((_, response) => {
  response.write(BEGIN);
  responses.push(response);
});
afterAll(() => server.closeAllConnections());

test('long responses take turns, and a silent one gives up its turn', async () => {
  const connections = new Connections(`http://127.0.0.1:${await listen(server)}`);
  const lengths: number[] = Array.from({ length: ALL }, () => 0);
  const silent: number[] = [];
  const reading = lengths.map((_, index) => {
    const request = connections.send('/', {}, undefined, () => silent.push(index));
    const onData = (text: string): void => {
      lengths[index] = (lengths[index] ?? 0) + text.length;
    };
    return readResponse(request, () => ({ onData, result: () => lengths[index] }));
  });
  const begun = () => lengths.filter((length) => length === BEGIN.length).length;
  await expect.poll(begun, POLL).toBe(READ_AT_ONCE);
  // The others have arrived, too, and are not read.
  await expect.poll(() => Math.min(...lengths), POLL).toBeGreaterThan(0);
  expect(begun()).toBe(READ_AT_ONCE);

  await expect.poll(begun, POLL).toBe(ALL);
  const first = lengths.flatMap((_, index) => (silent.includes(index) ? [index] : []));
  expect(first).toHaveLength(READ_AT_ONCE);

  for (const response of responses) response.end(REST);
  expect(await Promise.all(reading)).toEqual(lengths.map(() => BEGIN.length + REST.length));
});
