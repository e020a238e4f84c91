// Tests the time limit of the pages' requests.

import { afterEach, expect, test, vi } from 'vitest';

// The build sets it.
vi.hoisted(() => vi.stubGlobal('OPERATOR', { name: '', help: '', privacy: '' }));

import { withTimeout } from '../../console/problems.ts';

afterEach(() => void vi.useRealTimers());

test('a request that is answered leaves no timer, which would keep what it has read', async () => {
  vi.useFakeTimers();
  expect(await withTimeout(Promise.resolve('read'))).toBe('read');
  await expect(withTimeout(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(vi.getTimerCount()).toBe(0);
});

test('a request that is not answered is given up', async () => {
  vi.useFakeTimers();
  const given = expect(withTimeout(new Promise(() => undefined))).rejects.toThrow('no response');
  await vi.advanceTimersByTimeAsync(20_000);
  await given;
});
