// Tests what only the TypeScript client has: the runtime's `fetch`, signals, and callers without types.

import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  Client,
  ConnectionFailed,
  type Fetch,
  SubjectRefused,
  Unavailable,
} from '../../clients/typescript/client.ts';
import { RESULT } from './responses.ts';
import { startHostileServer } from './servers.ts';

const server = await startHostileServer();
afterAll(() => server[Symbol.asyncDispose]());

const HOUR = 3_600_000;
const TOKENS = Array.from({ length: 20 }, (_, id) => ({ id, token: `t-${id}` }));
const MODES = ['wallet', 'email', 'token'];
const SECRET = { token: 'a-token-that-nobody-may-see' };
const clientOf = (response: string, name: string, settings = {}) =>
  new Client({ url: server.url(response, name), key: 'a-key', ...settings });
const clientWith = (send: Fetch) =>
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

test('what Next.js throws for its own purposes is not retried, and stays the same error without a secret', async () => {
  const signal = Object.assign(new Error(`Dynamic server usage: ?token=${SECRET.token}`), {
    digest: 'DYNAMIC_SERVER_USAGE',
    cause: SECRET,
  });
  const send = vi.fn(() => Promise.reject(signal));
  await expect(clientWith(send).lookUp(SECRET)).rejects.toBe(signal);
  expect(send).toHaveBeenCalledTimes(1);
  expect(inspect(signal, { depth: 9 })).not.toContain(SECRET.token);
});

const named =
  (name: string, more = {}) =>
  (url: string) =>
    Object.assign(new Error(`request to ${url} failed`), { name, ...more });
test.each<[string, (url: string) => unknown]>([
  ['ECONNRESET', (url) => new TypeError(`for ${url}`, { cause: { code: 'ECONNRESET' } })],
  ['failed', named('AbortError')],
  ['failed', (url) => new AggregateError([named('Error')(url)], `all failed for ${url}`)],
  ['token=…', (url) => url],
  ['No machine has this name', () => new Error('fetch failed', { cause: { code: 'ENOTFOUND' } })],
  ['the connection failed', (url) => ({ url })],
  ['the connection failed', () => undefined],
  ['the connection failed', () => Object.assign(Object.create(null), { cause: null })],
  ['failed', (url) => Object.freeze(named('Error', { digest: 'NEXT_NOT_FOUND' })(url))],
  [
    'the connection failed',
    (url) => ({
      get message() {
        throw new Error(url);
      },
    }),
  ],
  [
    'spelled',
    () => {
      const texts = MODES.map((mode) => `${mode}=${SECRET.token.toUpperCase()}`);
      return new Error(`spelled ${texts.join('&')}`);
    },
  ],
])(
  'whatever `fetch` rejects with is a network failure without a secret: %s',
  async (reason, thrown) => {
    const send = vi.fn((url: string) => Promise.reject(thrown(url)));
    const error = await clientWith(send)
      .lookUp(SECRET)
      .catch((failure) => failure);
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(send).toHaveBeenCalledTimes(error.message.startsWith('Attempt 4 of 4') ? 4 : 1);
    expect(error.message).toContain(reason);
    expect(error.cause).toBeInstanceOf(Error);
    const texts = inspect(error, { depth: 9, showHidden: true });
    expect(texts.toLowerCase()).not.toContain(SECRET.token);
  },
);

test('an attempt may take all the time of its lookup, by default 15 s', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lookups = [14_999, 15_001].map((ms) => {
    const send: Fetch = (_, { signal }) =>
      new Promise((resolve, reject) => {
        setTimeout(() => resolve(answer(true)), ms);
        signal.addEventListener('abort', reject);
      });
    return clientWith(send).lookUp(SECRET);
  });
  const settled = Promise.allSettled(lookups);
  await vi.advanceTimersByTimeAsync(15_001);
  const reason = expect.stringContaining('Attempt 1 of 4 failed (no response within 15 s)');
  expect(await settled).toMatchObject([{ status: 'fulfilled' }, { reason: { message: reason } }]);
});

test('many lookups wait by default as long as an hour', async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const sentAt: number[] = [];
  const send = async (): Promise<Response> => {
    const headers = { 'Retry-After': sentAt.push(Date.now()) < 2 ? '3600' : '3601' };
    return new Response('', { status: 429, headers });
  };
  const next = expect(clientWith(send).lookUpMany(TOKENS, { atOnce: 1 }).next()).resolves;
  await vi.advanceTimersByTimeAsync(HOUR);
  await next.toMatchObject({ value: { error: { retryAfter: 3601 } } });
  expect(sentAt).toEqual([0, HOUR]);
});

test('pauses before the second attempt, twice as long before each further one, and half as long more by chance', async () => {
  vi.useFakeTimers({ now: 0 });
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    vi.useRealTimers();
    random.mockRestore();
  });
  const sentAt: number[] = [];
  const send = (): Promise<Response> => {
    sentAt.push(Date.now());
    return Promise.reject(new TypeError('fetch failed'));
  };
  const client = new Client({ url: 'https://poh.example', key: 'a-key', fetch: send });
  const lookup = expect(client.lookUp(SECRET)).rejects.toThrow(ConnectionFailed);
  await vi.advanceTimersByTimeAsync(8_500);
  await lookup;
  expect(sentAt).toEqual([0, 1_500, 4_000, 8_500]);
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
  for (const settings of [{ fetch: 'f' }, { timeout: Number.NaN }])
    expect(() => clientOf('good', 'mistakes', settings)).toThrow(TypeError);
  // @ts-expect-error: no subject
  await expect(client.lookUp({})).rejects.toThrow(TypeError);
  // @ts-expect-error: bytes
  await expect(client.lookUp({ token: Buffer.from('t') })).rejects.toThrow(TypeError);
  await expect(client.lookUp({ token: null })).rejects.toThrow(SubjectRefused);
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
  for await (const { subject, result, total } of client.lookUpMany(new Set(TOKENS), { signal })) {
    ids.add(subject.id);
    expect(total).toBe(TOKENS.length);
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
  const silent = async function* () {
    yield await new Promise<{ token: string }>(() => undefined);
  };
  const waiting = client.lookUpMany(silent(), { signal }).next();
  const reason = new Error('given up');
  setTimeout(() => giveUp.abort(reason), 200);
  await expect(first).rejects.toBe(reason);
  await expect(waiting).rejects.toBe(reason);
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

test('who leaves the loop of many lookups ends those in flight, and the source', async () => {
  let ended = 0;
  let first = (_: Response): void => undefined;
  const client = clientWith((url, { signal }) => {
    signal.addEventListener('abort', () => ended++);
    if (url.endsWith('t-15')) first(answer(true));
    return new Promise((resolve) => {
      if (url.endsWith('t-0')) first = resolve;
    });
  });
  let isClosed = false;
  const source = function* () {
    try {
      yield* TOKENS;
    } finally {
      isClosed = true;
    }
  };
  for await (const { subject, index, total } of client.lookUpMany(source())) {
    expect([subject, index, total]).toEqual([TOKENS[0], 0, undefined]);
    break;
  }
  expect(ended, 'aborted lookups').toBe(15);
  expect(isClosed).toBe(true);
});

test('takes subjects from an asynchronous source, and from a slow one while others are looked up', async () => {
  const client = clientWith(async () => answer(true));
  let isSlow = true;
  const source = async function* () {
    yield* TOKENS.slice(0, 3);
    await vi.waitUntil(() => !isSlow);
    yield* TOKENS.slice(3);
  };
  const found = [];
  for await (const { subject, total } of client.lookUpMany(source())) {
    if (found.push(subject) === 3) isSlow = false;
    expect(total).toBeUndefined();
  }
  expect(found).toEqual(TOKENS);
});

test('reads the address and the key from the environment', async () => {
  const send = vi.fn(async (_: string, { headers }: { headers: object }) => {
    return Object.values(headers).includes('a-key') ? answer(true) : answer(false);
  });
  vi.stubEnv('POH_URL', ' https://poh.example\n').stubEnv('POH_KEY', 'a-key');
  expect(await new Client({ fetch: send }).lookUp(SECRET)).toMatchObject({
    hasVerifiedHuman: true,
  });
  vi.unstubAllEnvs();
  expect(() => new Client({ key: 'a-key' })).toThrow('POH_URL');
  expect(() => new Client({ url: 'https://poh.example' })).toThrow('POH_KEY');
});

test('warns once that the key ends within two weeks, and forgets an end that was removed', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  let ends = '';
  const client = clientWith(async () => {
    const headers = { 'X-PoH-Key-Ends': ends };
    return Response.json({ ...RESULT, wallet: undefined }, { headers });
  });
  for (const [days, warnings] of [
    [14.1, 0],
    [13.9, 1],
    [13.8, 1],
  ] as const) {
    ends = new Date(Date.now() + days * 24 * HOUR).toISOString();
    await client.lookUp(SECRET);
    expect(client.keyEnds?.toISOString()).toBe(ends);
    expect(warn).toHaveBeenCalledTimes(warnings);
  }
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^The API key ends at 20.*rotate it/)]]);
  ends = '';
  await client.lookUp(SECRET);
  expect(client.keyEnds).toBeUndefined();
  warn.mockRestore();
});
