// Tests what every command shares: the answer to a question, and waiting for Google.

import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { confirm } from '../../admin/frame/input.ts';
import { Run } from '../../admin/frame/run.ts';

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
  const silent = { write: () => true };
  const run = new Run({ stdout: silent, stderr: silent });
  let ended: unknown;
  run.ended.catch((error: unknown) => {
    ended = error;
  });
  run.wait();
  return { run, ended: () => ended };
}

test('a run ends 20 seconds after the last sign of life, and says what was changed', async () => {
  const { run, ended } = waiting();
  await vi.advanceTimersByTimeAsync(19_999);
  run.stderr.write('1,000 of 2,000 tokens\n');
  await vi.advanceTimersByTimeAsync(19_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toMatchObject({
    message: expect.stringContaining(
      'Google has not responded for 20 seconds. Nothing was changed.',
    ),
  });
});

test('the time for a question to the user does not count', async () => {
  const { run, ended } = waiting();
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const paused = run.pause(answer);
  await vi.advanceTimersByTimeAsync(600_000);
  resolve();
  await paused;
  await vi.advanceTimersByTimeAsync(19_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toBeDefined();
});
