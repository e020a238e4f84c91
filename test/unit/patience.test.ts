import { describe, expect, test } from 'vitest';
import { ChainError } from '../../chain/chainFailure.ts';
import { DEFAULT_PATIENCE, type Patience, patiently } from '../../chain/patience.ts';

const QUICK: Patience = { tries: 6, firstWaitMs: 1, longestWaitMs: 10, timeoutMs: 1 };

/** Asks something that fails as often as there are failures; @returns outcome and waits */
async function askThrough(failures: readonly Error[], patience = QUICK) {
  const left = [...failures];
  const waits: number[] = [];
  const ask = async (): Promise<string> => {
    const failure = left.shift();
    if (failure) throw failure;
    return 'answer';
  };
  const outcome = await patiently(ask, patience, ({ waitMs }) => waits.push(waitMs)).catch(
    (error: unknown) => error,
  );
  return { outcome, waits, left: left.length };
}

const rateLimited = (retryAfterMs = 0) => new ChainError('rate_limited', 'test', { retryAfterMs });

describe('patiently', () => {
  test('waits twice as long each time, up to the longest wait', async () => {
    const { outcome, waits } = await askThrough(Array.from({ length: 5 }, () => rateLimited()));
    expect(outcome).toBe('answer');
    expect(waits).toEqual([1, 2, 4, 8, 10]);
  });

  test('gives up after the tries with the last failure', async () => {
    const last = new ChainError('timed_out', 'the last');
    const failures = [...Array.from({ length: 5 }, () => rateLimited()), last, rateLimited()];
    const { outcome, left } = await askThrough(failures);
    expect(outcome).toBe(last);
    expect(left).toBe(1);
  });

  test('waits as long as the endpoint asks, within the longest wait', async () => {
    const { waits } = await askThrough([rateLimited(7), rateLimited(60_000)]);
    expect(waits).toEqual([7, 10]);
  });

  test('does not repeat what was refused, nor what is a fault of ours', async () => {
    for (const failure of [new ChainError('refused', 'HTTP 403'), new TypeError('a bug')]) {
      const { outcome, waits } = await askThrough([failure]);
      expect(outcome).toBe(failure);
      expect(waits).toEqual([]);
    }
  });

  test('by default outlasts the 10 seconds over which public endpoints count', () => {
    const { tries, firstWaitMs } = DEFAULT_PATIENCE;
    expect(firstWaitMs * (2 ** (tries - 1) - 1)).toBeGreaterThan(10_000);
  });
});
