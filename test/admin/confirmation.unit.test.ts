import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from '../../admin/frame/input.ts';

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
