import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AccessToken, TokenCache } from '../../functions/src/google/accessTokens.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The duration of a token request that times out. */
const HANGING_MS = 7_500;

/** The outcome of a failed token request. */
type Fault = 'refused' | 'hanging';

/** Issues numbered tokens that are valid for an hour, and counts requests. @param faults the faults of the first requests */
function tokenSource(...faults: Fault[]) {
  const source = { faults, requests: 0, inFlight: 0, mostInFlight: 0 };
  const fetchToken = async (): Promise<AccessToken> => {
    source.requests += 1;
    source.inFlight += 1;
    source.mostInFlight = Math.max(source.mostInFlight, source.inFlight);
    const number = source.requests;
    try {
      const fault = source.faults.shift();
      if (fault === 'hanging') await new Promise((resolve) => setTimeout(resolve, HANGING_MS));
      if (fault) throw new Error(fault);
      return { value: `token ${number}`, expiresAt: Date.now() + HOUR_MS };
    } finally {
      source.inFlight -= 1;
    }
  };
  const cache = new TokenCache(fetchToken);
  return { source, cache, value: async () => (await cache.get()).value };
}

/** Advances the clock until the work is done. @returns its outcome and duration */
async function timed<T>(work: Promise<T>) {
  const startedAt = Date.now();
  const result = work.then(
    (value) => ({ value, ms: Date.now() - startedAt }),
    (error: Error) => ({ error: error.message, ms: Date.now() - startedAt }),
  );
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  return await result;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('concurrent callers share one request, and if it fails, they share the next one', async () => {
  const { source, value } = tokenSource('hanging');
  const first = timed(value());
  const later = [value(), value(), value()];
  expect(await first).toEqual({ error: 'hanging', ms: HANGING_MS });
  expect(await Promise.all(later)).toEqual(['token 2', 'token 2', 'token 2']);
  expect(source).toMatchObject({ requests: 2, mostInFlight: 1 });
});

test('a failure is not cached, so the next call makes a request', async () => {
  const { value } = tokenSource('refused');
  expect(await timed(value())).toEqual({ error: 'refused', ms: 0 });
  expect(await timed(value())).toEqual({ value: 'token 2', ms: 0 });
});

test.each<{ age: string; ageMs: number; requests: number }>([
  { age: '54 minutes', ageMs: 54 * MINUTE_MS, requests: 1 },
  { age: '56 minutes', ageMs: 56 * MINUTE_MS, requests: 2 },
])(
  'after $age a token is returned without waiting, and $requests requests were made',
  async ({ ageMs, requests }) => {
    const { source, value } = tokenSource();
    await value();
    await vi.advanceTimersByTimeAsync(ageMs);
    expect(await value()).toBe('token 1');
    expect(source.requests).toBe(requests);
    await vi.advanceTimersByTimeAsync(0);
    expect(await value()).toBe(`token ${requests}`);
  },
);

test.each<Fault>(['refused', 'hanging'])(
  'a valid token is used while its refresh is %s, with one request at a time',
  async (fault) => {
    const { source, value } = tokenSource();
    await value();
    source.faults.push(...Array(2_000).fill(fault));
    await vi.advanceTimersByTimeAsync(55 * MINUTE_MS);
    for (let second = 0; second < 280; second += 1) {
      expect(await value()).toBe('token 1');
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(source.mostInFlight).toBe(1);
    expect(source.requests).toBeLessThan(290);
    source.faults.length = 0;
    // The request in flight ends, and the next call starts another.
    await vi.advanceTimersByTimeAsync(HANGING_MS);
    await value();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await value()).not.toBe('token 1');
  },
);

test('an expired token is never returned', async () => {
  const { source, value } = tokenSource();
  await value();
  // Between two requests, the platform may give the process no CPU, so no refresh runs.
  vi.setSystemTime(Date.now() + HOUR_MS - 5_000);
  source.faults.push('refused');
  expect(await timed(value())).toEqual({ error: 'refused', ms: 0 });
  expect(await timed(value())).toEqual({ value: 'token 3', ms: 0 });
});

test('a refused token is not returned again, and a newer one is kept', async () => {
  const { source, cache } = tokenSource();
  const first = await cache.get();
  cache.drop(first);
  const second = await cache.get();
  expect(second.value).toBe('token 2');
  // A slower read reports that the same token was refused.
  cache.drop(first);
  expect(await cache.get()).toBe(second);
  expect(source.requests).toBe(2);
});
