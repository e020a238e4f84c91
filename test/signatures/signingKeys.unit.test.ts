// Tests the commands that create and retire signing keys, and mark leaked ones.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateKey } from '../../cli/signing/commands.ts';
import type { PublicKeySet } from '../../functions/src/signatures/publicKeySet.ts';
import { readSigner } from '../../functions/src/signatures/sign.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../../tools/sandbox/demonstrationKey.ts';
import { runAdmin, spawnAdmin } from '../cli/adminCommand.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();

/** Stores a set of keys in a file. */
function store(name: string, set: PublicKeySet) {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(set));
  return {
    file,
    /** @param words of the command, with blanks between them */
    run: (words: string) => runAdmin([...words.split(' '), '--keys', file]),
    stored: (): PublicKeySet['keys'] => JSON.parse(readFileSync(file, 'utf8')).keys,
  };
}

test('a key is created and retired; only standard output gets the private key', async () => {
  const { file, run, stored } = store('set.json', { keys: [] });
  const created = await spawnAdmin(['signing-keys', 'create', '--keys', file]);
  const { stdout: pem } = created;
  expect(created).toMatchObject({ status: 0, stderr: expect.stringContaining('If that fails') });
  expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n[^-]+-----END PRIVATE KEY-----\n$/);
  expect(readFileSync(file, 'utf8')).not.toContain(pem.split('\n')[1]?.slice(20));
  // It is an active key of the set.
  const start = () => readSigner({ RESPONSE_SIGNING_KEY: pem }, stored(), Date.now);
  expect(start()).toBeTypeOf('function');

  await run('signing-keys create');
  const [first, next] = stored().map(({ kid }) => kid);
  const retired = await run(`signing-keys retire ${first}`);
  expect(retired).toMatchObject({ status: 0, stdout: '' });
  expect(retired.stderr).not.toContain('No other key is active');
  expect((await run(`signing-keys retire ${next}`)).stderr).toContain('No other key is active');
  const again = await run(`signing-keys retire ${first}`);
  expect(again.stderr).toBe(`Key ${first} was already retired. Nothing was changed.\n`);
  expect(start).toThrow(`private key of ${first}, which is not an active key of`);
  const [{ nbf = Infinity, exp = 0 } = {}] = stored();
  expect(exp).toBeGreaterThanOrEqual(nbf);
  expect((await run('signing-keys retire x')).stderr).toContain('has the kid x');
});

test('a leaked key is marked with the earliest time of its leak', async () => {
  const { run, stored } = store('leaked.json', publicKeySetOf(DEMONSTRATION_SIGNING_KEY));
  const id = stored()[0]?.kid;
  const mark = (since: number) =>
    run(`signing-keys compromise ${id} --since ${new Date(since * 1_000).toISOString()}`);
  const leakedAt = Math.floor(Date.now() / 1_000) - 60;
  const later = await mark(leakedAt + 120);
  expect(later).toMatchObject({ status: 2, stderr: expect.stringContaining('in the future') });
  const { status, stderr } = await mark(leakedAt + 1);
  expect(stderr).toContain('Deploy Hosting immediately');
  expect(stderr).toContain('No other key is active');
  expect(status).toBe(0);
  expect((await mark(leakedAt)).status).toBe(0);
  // A later time would make refused responses valid again.
  expect((await mark(leakedAt + 2)).stderr).toContain('Nothing was changed');
  const revoked = { revoked_at: leakedAt, reason: 'compromised' };
  expect(stored()).toMatchObject([{ exp: leakedAt, revoked }]);

  // The end of a key that was retired before its leak is not put off.
  const [key] = publicKeySetOf(DEMONSTRATION_SIGNING_KEY).keys.map((one) => ({
    ...one,
    exp: leakedAt - 1,
  }));
  const early = store('retired.json', { keys: key ? [key] : [] });
  await early.run(
    `signing-keys compromise ${id} --since ${new Date(leakedAt * 1_000).toISOString()}`,
  );
  expect(early.stored()).toMatchObject([{ exp: leakedAt - 1, revoked }]);
  // A day begins in UTC.
  await early.run(`signing-keys compromise ${id} --since 2026-11-20`);
  expect(early.stored()[0]?.revoked?.revoked_at).toBe(Date.UTC(2026, 10, 20) / 1_000);
});

test('no id begins like an option', () => {
  const ids = Array.from({ length: 1_000 }, () => generateKey().key.kid);
  expect(ids.filter((id) => id.startsWith('-'))).toEqual([]);
});

test('if a private key cannot be printed, it says so and how to undo the creation', () => {
  const { file, stored } = store('lost.json', { keys: [] });
  const create = `'${process.execPath}' cli/main.ts signing-keys create --keys '${file}' > /dev/full`;
  const { status, stderr } = spawnSync('bash', ['-c', create], { encoding: 'utf8' });
  expect(stderr).toContain(
    `The private key could not be printed and is lost. Undo this with \`signing-keys retire ${stored()[0]?.kid}\`, then create another key.`,
  );
  expect(status).toBe(1);
});

test.each([
  ['a missing file', ['signing-keys', 'retire', 'x', '--keys', '/nowhere']],
  ['a file that is not a set of keys', ['signing-keys', 'retire', 'x', '--keys', 'package.json']],
])('%s is a usage error', async (_, words) => {
  expect(await runAdmin(words)).toMatchObject({ status: 2, stdout: '' });
});
