// Tests what every command shares: the answer to a question, and waiting for Google.

import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { print, printSecret } from '../../cli/frame/output.ts';
import { type Output, type Run, withRun } from '../../cli/frame/run.ts';
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

const silent = { write: () => true };

/** Runs a body that waits for Google. @returns how the run ended, if it has */
function waiting(body: (run: Run) => unknown, stdout: Output = silent) {
  vi.useFakeTimers();
  let ended: unknown;
  void withRun({ stdout, stderr: silent }, async (run) => {
    run.wait();
    await body(run);
    return await run.ended;
  }).catch((error: unknown) => {
    ended = error;
  });
  return () => ended;
}

test('a run ends 60 seconds after the last sign of life, and says what was changed', async () => {
  let run: Run | undefined;
  const ended = waiting((one) => {
    run = one;
  });
  await vi.advanceTimersByTimeAsync(59_999);
  run?.stderr.write('1,000 of 2,000 tokens\n');
  await vi.advanceTimersByTimeAsync(59_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toMatchObject({
    message: expect.stringContaining(
      'Google has not responded for 60 seconds. Nothing was changed.',
    ),
  });
});

const KNOWN = 'This was done: Revoke the key 1234.';

test('Ctrl-C ends a run, which says what is known', async () => {
  const ended = waiting((run) => {
    run.known = KNOWN;
    process.emit('SIGINT', 'SIGINT');
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(ended()).toMatchObject({ message: `Interrupted. ${KNOWN}`, exitStatus: 130 });
  expect(vi.getTimerCount(), 'timers, which would keep the process alive').toBe(0);
});

test('a second question that is not confirmed says that the first change was done', async () => {
  const ended = waiting((run) => {
    run.known = KNOWN;
    return promptFor('n\n');
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(ended()).toMatchObject({ message: KNOWN });
});

test('the time for a question to the user, or in which nobody reads the output, does not count', async () => {
  const input = terminal();
  const reader = new PassThrough({ highWaterMark: 1 });
  const stdout: Output = { write: (text, done) => reader.write(text, done) };
  const ended = waiting(async () => {
    await confirm('Revoke it?', input, terminal());
    await print('a list');
  }, stdout);
  await vi.advanceTimersByTimeAsync(600_000);
  input.write('y\n');
  await vi.advanceTimersByTimeAsync(600_000);
  reader.read();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(ended()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toBeDefined();
});

test.each([
  [true, 'secret\n'],
  [false, 'secret'],
])(
  'a secret is a line on a terminal (%s), and nothing but itself elsewhere',
  async (isTTY, shown) => {
    let text = '';
    const write: Output['write'] = (part, done) => {
      text += part;
      done?.();
      return true;
    };
    await withRun({ stdout: { isTTY, write }, stderr: silent }, () => printSecret('secret', ''));
    expect(text).toBe(shown);
  },
);
