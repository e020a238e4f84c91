// Tests what every command shares: the answer to a question, and waiting for Google.

import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { confirm } from '../../admin/frame/input.ts';
import { Wait } from '../../admin/frame/run.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** @param typed the input of the user, before it ends */
async function promptFor(typed: string): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const confirmed = confirm('Revoke the key 1234?', input, output);
  input.end(typed);
  await confirmed;
  return String(output.read());
}

test.each(['y', 'Y', 'yes', ' yes '])('%j confirms', async (typed) => {
  expect(await promptFor(`${typed}\n`)).toBe('Revoke the key 1234? [y/N] ');
});

test.each(['\n', 'n\n', 'no\n', 'yesterday\n', ''])('%j does not confirm', async (typed) => {
  await expect(promptFor(typed)).rejects.toMatchObject({
    message: 'Nothing was changed.',
    exitStatus: undefined,
  });
});

function waiting() {
  vi.useFakeTimers();
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
