import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AccessToken, cacheAccessToken } from '../../functions/src/google/tokenCache.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The outcomes of the next requests for a token, in turn; afterwards each gets a token. */
type Fault = 'refused' | 'hanging';

/** Gives out numbered tokens that live for an hour, and notes how it was used. */
function tokenSource(...faults: Fault[]) {
  const source = { faults, requests: 0, inFlight: 0, mostInFlight: 0, aborted: 0 };
  const fetchToken = async (signal: AbortSignal): Promise<AccessToken> => {
    source.requests += 1;
    source.inFlight += 1;
    source.mostInFlight = Math.max(source.mostInFlight, source.inFlight);
    const number = source.requests;
    try {
      const fault = source.faults.shift();
      if (fault === 'refused') throw new Error('responded 503');
      if (fault === 'hanging') await aborted(signal, source);
      return { value: `token ${number}`, expiresAt: Date.now() + HOUR_MS };
    } finally {
      source.inFlight -= 1;
    }
  };
  const accessToken = cacheAccessToken(fetchToken);
  return { source, value: async () => (await accessToken()).value };
}

const aborted = (signal: AbortSignal, source: { aborted: number }): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      source.aborted += 1;
      reject(new Error('aborted'));
    });
  });

/** Lets time pass until the work is done. @returns its outcome and how long it took */
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

test.each<{ faults: Fault[]; ms: number }>([
  { faults: [], ms: 0 },
  { faults: ['refused'], ms: 100 },
  { faults: ['refused', 'refused', 'refused'], ms: 700 },
  { faults: ['hanging'], ms: 3_600 },
])('without a token, $faults is waited for and tried again: $ms ms', async ({ faults, ms }) => {
  const { source, value } = tokenSource(...faults);
  expect(await timed(value())).toEqual({ value: `token ${faults.length + 1}`, ms });
  expect(source.inFlight).toBe(0);
});

test('all who wait share one attempt', async () => {
  const { source, value } = tokenSource('hanging', 'refused');
  const { value: values } = (await timed(Promise.all([value(), value(), value()]))) as never;
  expect(values).toEqual(['token 3', 'token 3', 'token 3']);
  expect(source).toMatchObject({ requests: 3, mostInFlight: 1, aborted: 1 });
});

test.each<{ fault: Fault; error: string }>([
  { fault: 'refused', error: 'No access token could be fetched: responded 503' },
  { fault: 'hanging', error: 'No access token could be fetched: no response within 3500 ms' },
])('$fault for good is given up within a read, and the next call begins anew', async (row) => {
  const { source, value } = tokenSource(...Array(20).fill(row.fault));
  const { error, ms } = (await timed(value())) as { error: string; ms: number };
  expect(error).toBe(row.error);
  expect(ms).toBeLessThanOrEqual(7_500);
  source.faults.length = 0;
  expect(await timed(value())).toMatchObject({ value: expect.stringContaining('token') });
});

test.each<{ age: string; ageMs: number; requests: number }>([
  { age: '54 minutes', ageMs: 54 * MINUTE_MS, requests: 1 },
  { age: '56 minutes', ageMs: 56 * MINUTE_MS, requests: 2 },
])('a token of $age is returned at once, after $requests requests', async ({ ageMs, requests }) => {
  const { source, value } = tokenSource();
  await value();
  await vi.advanceTimersByTimeAsync(ageMs);
  expect(await value()).toBe('token 1');
  expect(source.requests).toBe(requests);
  await vi.advanceTimersByTimeAsync(0);
  expect(await value()).toBe(`token ${requests}`);
});

test.each<Fault>(['refused', 'hanging'])(
  'a valid token is kept while its refresh is %s, one attempt at a time',
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
    // The attempt in flight ends, and the next call begins another.
    await vi.advanceTimersByTimeAsync(4_000);
    await value();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await value()).not.toBe('token 1');
  },
);

test('an expired token is never returned', async () => {
  const { source, value } = tokenSource();
  await value();
  // As when the platform gives the process no time between two requests.
  vi.setSystemTime(Date.now() + HOUR_MS - 5_000);
  source.faults.push('refused');
  expect(await timed(value())).toEqual({ value: 'token 3', ms: 100 });
});
