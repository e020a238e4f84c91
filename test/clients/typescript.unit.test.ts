// Tests what only the TypeScript client has: the runtime's `fetch`, signals, and callers without types.

import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { Client, Refused, Unavailable } from '../../clients/typescript/index.ts';
import { RESULT } from './responses.ts';
import { startHostileServer } from './servers.ts';

const server = await startHostileServer();
afterAll(() => server[Symbol.asyncDispose]());

const HOUR = 3_600_000;
const TOKENS = Array.from({ length: 20 }, (_, id) => ({ id, token: `t-${id}` }));
const SECRET = { token: 'a-token-that-nobody-may-see' };
const clientOf = (response: string, name: string, settings = {}) =>
  new Client({ url: server.url(response, name), key: 'a-key', ...settings });
const clientWith = (send: typeof fetch) =>
  new Client({ url: 'https://poh.example', key: 'a-key', pause: 1, fetch: send });
const answer = (hasVerifiedHuman: boolean): Response =>
  Response.json({ ...RESULT, wallet: undefined, hasVerifiedHuman });

test('a lookup uses the `fetch` of its time, and not its cache, because Next.js 14 replaces it by one that caches', async () => {
  const client = clientOf('busy', 'replaced');
  vi.stubGlobal('fetch', async (_: unknown, init?: RequestInit) =>
    answer(init?.cache === 'no-store'),
  );
  expect(await client.lookUp(SECRET)).toMatchObject({ hasVerifiedHuman: true });
  vi.unstubAllGlobals();
});

test('what a runtime throws for its own purposes is not retried and not changed', async () => {
  const signal = Object.assign(new Error('Dynamic server usage'), {
    digest: 'DYNAMIC_SERVER_USAGE',
  });
  const send = vi.fn(() => Promise.reject(signal));
  await expect(clientWith(send).lookUp(SECRET)).rejects.toBe(signal);
  expect(send).toHaveBeenCalledTimes(1);
});

test.each([
  ['Node', { message: 'fetch failed', cause: { code: 'ECONNRESET' } }, 'ECONNRESET'],
  ['Deno', { message: 'error sending request for' }, 'error sending request for'],
  ['Workers', { message: 'Network connection lost.', name: 'Error', retryable: true }, 'lost.'],
  ['Bun', { message: 'The operation timed out.', name: 'TimeoutError' }, 'timed out.'],
])('a network failure of %s is retried, and its cause has no secret', async (_, more, reason) => {
  const send = vi.fn(async (url: unknown) => {
    throw Object.assign(new TypeError(), more, { message: `${more.message} ${url}` });
  });
  const error = await clientWith(send)
    .lookUp(SECRET)
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Unavailable);
  expect(send).toHaveBeenCalledTimes(4);
  expect(error.message).toContain(reason);
  expect(error.cause).toBeInstanceOf(Error);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET.token);
});

test('sends nothing after the deadline, even if the program was busy during the pause', async () => {
  const send = vi.fn(() => {
    setTimeout(() => {
      for (const start = performance.now(); performance.now() < start + 300; );
    });
    return Promise.reject(new TypeError('fetch failed'));
  });
  const settings = { url: 'https://poh.example', key: 'a-key', timeout: 200, pause: 20 };
  await expect(new Client({ ...settings, fetch: send }).lookUp(SECRET)).rejects.toThrow(
    Unavailable,
  );
  expect(send).toHaveBeenCalledTimes(1);
});

// `npm run check` reports an unused `@ts-expect-error`.
test('refuses what its types refuse', async () => {
  const client = clientOf('good', 'mistakes');
  // @ts-expect-error: no subject
  await expect(client.lookUp({})).rejects.toThrow(Refused);
  // @ts-expect-error: no object
  await expect(client.lookUp(null)).rejects.toThrow(Refused);
  // @ts-expect-error: two subjects
  await expect(client.lookUp({ token: 't', wallet: 'w' })).rejects.toThrow(TypeError);
  // @ts-expect-error: one of two subjects is not known to be undefined
  await client.lookUp({ token: 't', wallet: TOKENS[20]?.token });
  // @ts-expect-error: an object is not a list
  await expect(client.lookUpMany({ token: 't' }).next()).rejects.toThrow(TypeError);
});

/** What Node keeps for as long as a signal lives. */
const heldBy = (signal: AbortSignal): unknown[] => [
  ...getEventListeners(signal, 'abort'),
  ...Object.getOwnPropertySymbols(signal)
    .filter(({ description }) => description === 'kDependantSignals')
    .flatMap((symbol) => [...(Reflect.get(signal, symbol) ?? [])]),
];

test('lookups without a deadline, also of a Set, leave nothing behind in their signal', async () => {
  const { signal } = new AbortController();
  const client = clientOf('good', 'signal', { timeout: Number.POSITIVE_INFINITY });
  for (const subject of TOKENS) await client.lookUp(subject, { signal });
  const ids = new Set<number>();
  for await (const { subject, result } of client.lookUpMany(new Set(TOKENS), { signal })) {
    ids.add(subject.id);
    // @ts-expect-error: there is no result if the lookup failed
    expect(result.count).toBe(RESULT.count);
  }
  expect(ids.size).toBe(TOKENS.length);
  expect(heldBy(signal)).toEqual([]);
});

test('a signal ends pauses and waits with its reason', async () => {
  const giveUp = new AbortController();
  const client = clientOf('busy', 'aborted', { timeout: 3 * HOUR, pause: HOUR });
  const { signal } = giveUp;
  const first = client.lookUpMany(TOKENS, { signal }).next();
  const { requests } = server.traffic('busy', 'aborted');
  await expect.poll(() => requests).toHaveLength(16);
  const lookup = client.lookUp({ token: 'a-token' }, { signal });
  await expect.poll(() => requests).toHaveLength(17);
  const reason = new Error('given up');
  setTimeout(() => giveUp.abort(reason), 200);
  await expect(first).rejects.toBe(reason);
  await expect(lookup).rejects.toBe(reason);
  expect(heldBy(signal)).toEqual([]);
});

test('a signal that is aborted in the last attempt ends it with its reason, and later ones', async () => {
  const giveUp = new AbortController();
  const send = vi.fn((): Promise<Response> => {
    if (send.mock.calls.length === 4) giveUp.abort('given up');
    return Promise.reject(new TypeError('fetch failed'));
  });
  const client = clientWith(send);
  for (const _ of ['in the last attempt', 'before the first']) {
    const lookup = client.lookUp(SECRET, { signal: giveUp.signal });
    await expect(lookup).rejects.toBe('given up');
    expect(send).toHaveBeenCalledTimes(4);
  }
});

test('who leaves the loop of many lookups ends those in flight', async () => {
  let ended = 0;
  const client = clientWith((url, init) => {
    if (String(url).endsWith('t-0')) return Promise.resolve(answer(true));
    init?.signal?.addEventListener('abort', () => ended++);
    return new Promise(() => undefined);
  });
  for await (const _ of client.lookUpMany(TOKENS)) break;
  expect(ended).toBe(15);
});
