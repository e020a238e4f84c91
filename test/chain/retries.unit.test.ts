import { describe, expect, test } from 'vitest';
import { ChainError } from '../../admin/chain/chainFailure.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy, withRetries } from '../../admin/chain/retries.ts';

const QUICK: RetryPolicy = {
  maxAttempts: 6,
  initialBackoffMs: 1,
  maxBackoffMs: 10,
  timeoutMs: 1,
};

/** Calls a function that throws each of the failures and then succeeds. @returns the outcome and the pauses */
async function callThrough(failures: readonly Error[]) {
  const left = [...failures];
  const pauses: number[] = [];
  const call = async (): Promise<string> => {
    const failure = left.shift();
    if (failure) throw failure;
    return 'result';
  };
  const outcome = await withRetries(call, QUICK, ({ backoffMs }) => pauses.push(backoffMs)).catch(
    (error: unknown) => error,
  );
  return { outcome, pauses, left: left.length };
}

const rateLimited = (retryAfterMs = 0) => new ChainError('rate_limited', 'test', { retryAfterMs });

describe('withRetries', () => {
  test('doubles the pause each time, up to the maximum', async () => {
    const { outcome, pauses } = await callThrough(Array.from({ length: 5 }, () => rateLimited()));
    expect(outcome).toBe('result');
    expect(pauses).toEqual([1, 2, 4, 8, 10]);
  });

  test('throws the last failure when all attempts have failed', async () => {
    const last = new ChainError('timed_out', 'the last');
    const failures = [...Array.from({ length: 5 }, () => rateLimited()), last, rateLimited()];
    const { outcome, left } = await callThrough(failures);
    expect(outcome).toBe(last);
    expect(left).toBe(1);
  });

  test('pauses as long as the endpoint requests, up to the maximum', async () => {
    const { pauses } = await callThrough([rateLimited(7), rateLimited(60_000)]);
    expect(pauses).toEqual([7, 10]);
  });

  test('does not retry after a refusal or a bug', async () => {
    for (const failure of [new ChainError('refused', 'HTTP 403'), new TypeError('a bug')]) {
      const { outcome, pauses } = await callThrough([failure]);
      expect(outcome).toBe(failure);
      expect(pauses).toEqual([]);
    }
  });

  test('by default retries for longer than the 10-second window of public rate limits', () => {
    const { maxAttempts, initialBackoffMs } = DEFAULT_RETRY_POLICY;
    expect(initialBackoffMs * (2 ** (maxAttempts - 1) - 1)).toBeGreaterThan(10_000);
  });
});
