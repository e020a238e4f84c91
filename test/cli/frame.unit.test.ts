// Tests what every command shares: the answer to a question, and waiting for Google.

import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { Run } from '../../cli/frame/run.ts';
import { confirm, type Target } from '../../cli/frame/target.ts';

afterEach(() => {
  vi.useRealTimers();
});

const terminal = () => Object.assign(new PassThrough(), { isTTY: true });

/** @param typed the input of the user, before it ends */
async function promptFor(typed: string): Promise<string> {
  const [input, output] = [terminal(), terminal()];
  const confirmed = confirm('Revoke the key 1234?', input, output);
  input.end(typed);
  await confirmed;
  return String(output.read());
}

test.each(['y', 'Y', 'yes', ' yes '])('%j confirms', async (typed) => {
  expect(await promptFor(`${typed}\n`)).toContain('Revoke the key 1234? [y/N] ');
});

test.each(['\n', 'n\n', 'no\n', 'yesterday\n', ''])('%j does not confirm', async (typed) => {
  await expect(promptFor(typed)).rejects.toMatchObject({
    message: 'Nothing was changed.',
    exitStatus: undefined,
  });
});

test('a question needs a terminal', async () => {
  await expect(confirm('Revoke it?', new PassThrough(), terminal())).rejects.toMatchObject({
    message: expect.stringContaining('Add --yes'),
    exitStatus: 2,
  });
});

/** Only compiled. Without `change`, which asks, a command gets nothing that can write. */
(({ db, auth }: Target) => [
  // @ts-expect-error
  db.runTransaction,
  // @ts-expect-error
  db.collection('apiKeys').add,
  // @ts-expect-error
  async () => (await db.collection('apiKeys').get()).docs[0]?.ref.set,
  // @ts-expect-error
  auth.setCustomUserClaims,
]) satisfies object;

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

test('a run ends 60 seconds after the last sign of life, and says what was changed', async () => {
  const { run, ended } = waiting();
  await vi.advanceTimersByTimeAsync(59_999);
  run.stderr.write('1,000 of 2,000 tokens\n');
  await vi.advanceTimersByTimeAsync(59_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toMatchObject({
    message: expect.stringContaining(
      'Google has not responded for 60 seconds. Nothing was changed.',
    ),
  });
});

test('Ctrl-C ends a run, which says what is known', async () => {
  const { run, ended } = waiting();
  run.known = 'It is not known whether this was done: Revoke the key 1234.';
  run.interrupt();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended()).toMatchObject({ message: `Interrupted. ${run.known}`, exitStatus: 130 });
});

test('the time for a question to the user does not count', async () => {
  const { run, ended } = waiting();
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const paused = run.pause(answer);
  await vi.advanceTimersByTimeAsync(600_000);
  resolve();
  await paused;
  await vi.advanceTimersByTimeAsync(59_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toBeDefined();
});
