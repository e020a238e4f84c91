import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Wait } from '../../admin/frame/run.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function waiting() {
  let written = '';
  const wait = new Wait({
    write(text) {
      written += text;
      return true;
    },
  });
  let ended: unknown;
  wait.ended.catch((error: unknown) => {
    ended = error;
  });
  wait.begin();
  return { wait, written: () => written, ended: () => ended };
}

test('a wait is announced after 10 seconds, and ends after 60', async () => {
  const { written, ended } = waiting();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(written()).toBe('');
  await vi.advanceTimersByTimeAsync(1);
  expect(written()).toBe('Waiting for Firestore. Without a response, this ends in 50 s.\n');
  await vi.advanceTimersByTimeAsync(49_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toMatchObject({
    message: expect.stringContaining(
      'Firestore has not responded for 60 seconds. Nothing was changed.',
    ),
  });
});

test('a pause, as for a question to the user, does not count', async () => {
  const { wait, written, ended } = waiting();
  const resume = wait.pause();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(written()).toBe('');
  resume();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(ended()).toBeUndefined();
});
