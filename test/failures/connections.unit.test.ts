// Tests which connections a call to Google still uses after one of them failed, and how many long responses arrive at once.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Authorization, openService } from '../../functions/src/google/call.ts';
import { readText, receive, send, UnusableResponse } from '../../functions/src/google/exchange.ts';
import { REQUEST_LIMIT_MS, SILENCE_MS, TURN_MS } from '../../functions/src/timeLimits.ts';
import { listen } from '../../tools/sandbox/freePort.ts';

const GOOD = 'the requested document';
/** With each pause or silence, a call has no time to try so many. */
const IDLE = 20;

const urlOf = (port: unknown) => new URL(`http://127.0.0.1:${port}/`);
const newReader = () =>
  readText((text) => {
    if (text !== GOOD) throw new UnusableResponse('another response');
    return text;
  });
/** Makes a call with the time that a lookup has. */
function get(url: URL, call = openService('a test', async () => ({ headers: {} }))) {
  return call({ url, newReader, signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
}

test.each<readonly [string, (response: ServerResponse) => unknown]>([
  ['silent', () => undefined],
  ['closed', (response) => response.destroy()],
  ['one response behind', (response) => response.end('an earlier document')],
])('a call succeeds although all idle connections are %s', async (_, respondOnIdle) => {
  const idle = new Set<Socket | null>();
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    if (idle.has(response.socket)) return void respondOnIdle(response);
    if (idle.size === IDLE) return void response.end(GOOD);
    // So that each call needs a connection of its own.
    if (waiting.push(response) < IDLE) return;
    for (const each of waiting) {
      idle.add(each.socket);
      each.end(GOOD);
    }
  });
  // As Google's front ends, it keeps idle connections for minutes.
  server.keepAliveTimeout = 0;
  const url = urlOf(await listen(server));
  onTestFinished(() => void server.close().closeAllConnections());
  await Promise.all(Array.from({ length: IDLE }, () => get(url)));
  expect(await get(url)).toBe(GOOD);
});

test('a call sends nothing if its lookup ends before it begins or has a token', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end(GOOD);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  const url = urlOf(await listen(server));
  const token = Promise.withResolvers<Authorization>();
  const call = openService('a test', () => token.promise);
  const ended = new AbortController();
  const begin = () => call({ url, newReader, signal: ended.signal }).catch(() => 'given up');
  const early = begin();
  ended.abort();
  expect(await Promise.all([early, begin()])).toEqual(['given up', 'given up']);
  token.resolve({ headers: {} });
  expect(await get(url)).toBe(GOOD);
  expect(requests).toBe(1);
});

/** Responds in part while the test's own process is busy. @param pause until the rest of the first response */
const slowServer = (pause: number) => `
  let pause = ${pause};
  const server = require('node:http').createServer((request, response) => {
    console.log('received');
    setTimeout(() => response.write('${GOOD.slice(0, 5)}'), 1_000);
    setTimeout(() => response.end('${GOOD.slice(5)}'), pause);
    pause = 1_500;
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

test.each([
  ['does not take its own delay for silence', SILENCE_MS + 1_000, 1],
  ['notices a silence after its own delay', 2 * REQUEST_LIMIT_MS, 2],
])('a busy process %s', async (_, pause, count) => {
  const server = spawn(process.execPath, ['-e', slowServer(pause)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill());
  const [port] = await once(server.stdout, 'data');
  let attempts = 0;
  const call = openService('a test', async () => {
    attempts += 1;
    return { headers: {} };
  });
  const response = get(urlOf(Number(port)), call);
  await once(server.stdout, 'data');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SILENCE_MS + 500);
  expect(await response).toBe(GOOD);
  expect(attempts).toBe(count);
});

/** How many responses wait for their turn. */
const QUEUE = 80;
const TURNS = 4;

test('at most four long responses arrive at once, slow ones lose their turns, and those that end while they wait take none', async () => {
  const [waitingMax, enough] = [256 * 1024, 512 * 1024];
  const chunk = Buffer.alloc(4 * 1024, ' ');
  const server = createServer(({ url }, response) => {
    response.write(Buffer.alloc(waitingMax / 2, ' '));
    if (url === '/stalling') return;
    const piece = url === '/dripping' ? ' ' : chunk;
    // What a response got in its first second does not count later.
    if (piece === ' ') setTimeout(() => response.write(Buffer.alloc(32 * 1024, ' ')), TURN_MS / 2);
    const timer = setInterval(() => response.writableNeedDrain || response.write(piece), 10);
    response.on('close', () => clearInterval(timer));
  });
  const url = urlOf(await listen(server));
  onTestFinished(() => void server.close().closeAllConnections());
  let silences = 0;
  const begin = (path: string) => {
    const request = send(new URL(path, url), {}, undefined, () => {
      silences += 1;
    });
    const begun = { request, length: 0 };
    const onData = (text: string): void => {
      begun.length += text.length;
    };
    receive(request, { onData, result: () => undefined }).catch(() => undefined);
    return begun;
  };
  const slow = ['/stalling', '/dripping', '/stalling', '/dripping'].map(begin);
  await expect.poll(() => silences).toBe(2);
  const all = Array.from({ length: TURNS + QUEUE }, () => begin('/'));
  const hasTurn = ({ length }: { length: number }) => length > enough;
  await expect.poll(() => all.filter(hasTurn).length, { interval: 10 }).toBe(TURNS);
  // They have lost their turns, and must not give them back a second time.
  for (const { request } of slow) request.destroy();
  await pause(SILENCE_MS + 500);
  expect(all.filter(({ length }) => length > waitingMax)).toHaveLength(TURNS);
  expect(silences).toBe(2);
  for (const each of all) if (!hasTurn(each)) each.request.destroy();
  const last = begin('/');
  for (const each of all) each.request.destroy();
  // If each of those that have ended kept a turn until it is missed, this would take 10 s.
  await expect.poll(() => hasTurn(last), { timeout: 5_000 }).toBe(true);
  last.request.destroy();
});
