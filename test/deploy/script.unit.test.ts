// deploy/apply.sh against a stand-in for gcloud: real processes, and no Google.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { standInProject } from './deployScript.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const REQUIRED = ['--project', 'acme-poh', '--alert-email', 'ops@example.com'];
const PROGRAM = ['--program', 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv'];
const ALL = [...REQUIRED, ...PROGRAM, '--firestore-location', 'nam5'];
const TIMEOUT = { timeout: 60_000 };

const isCreation = (call: readonly string[]) =>
  call.includes('create') || call.includes('--add-exclusion') || call[1] === 'submit';
/** The commands of an output, without what differs from run to run. */
const commandsIn = (output: string) =>
  output.split('\n').flatMap((line) => (line.startsWith('+ ') ? [steady(line.slice(2))] : []));
const steady = (text: string) =>
  text
    .replaceAll(/\/[^ ]*tmp\.\w+/g, 'WORK')
    .replaceAll(/found-\d+/g, 'NAME')
    .replaceAll(/(notification-channels) \w+/g, '$1 CHANNEL');

test('makes everything from nothing, and nothing twice', TIMEOUT, async () => {
  await using project = await standInProject();
  const first = await project.apply(ALL);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  const there = await project.there();
  for (const name of ['lookup', 'token-purge', 'audit', 'scheduler', 'build', 'keys']) {
    expect(there).toContain(`account poh-${name}`);
  }
  const count = (kind: string) => there.filter((thing) => thing.startsWith(kind)).length;
  expect(count('policy')).toBe(readdirSync(`${DEPLOY}alerts`).length);
  expect(count('metric')).toBe(readdirSync(`${DEPLOY}logging/metrics`).length);
  expect(count('schedule')).toBe(2);
  const calls = await project.calls();
  expect(calls.filter((call) => !call.includes('acme-poh'))).toEqual([]);

  const second = await project.apply(ALL);
  expect(second).toMatchObject({ status: 0, stderr: '' });
  expect((await project.calls()).slice(calls.length).filter(isCreation)).toEqual([]);
  expect(await project.there()).toEqual(there);
});

test('a dry run prints every command of both, and runs none', TIMEOUT, async () => {
  await using project = await standInProject();
  const dry = await project.apply([...ALL, '--dry-run']);
  expect(dry).toMatchObject({ status: 0, stderr: '' });
  expect(await project.calls()).toEqual([]);
  const printed = commandsIn(dry.stdout);
  const runs = [await project.apply(ALL), await project.apply(ALL)];
  const commands = new Set(runs.flatMap(({ stdout }) => commandsIn(stdout)));
  // The image's tag is the hash of what was built.
  const tagged = (text: string) => text.replaceAll(/[0-9a-f]{12}\b/g, 'HASH');
  expect(printed.map(tagged)).toEqual(expect.arrayContaining([...commands].map(tagged)));
});

test('uses every file beside it', TIMEOUT, async () => {
  await using project = await standInProject();
  const { stdout } = await project.apply([...ALL, '--dry-run']);
  for (const directory of ['alerts/', 'iam/', 'jobs/', 'logging/metrics/']) {
    for (const name of readdirSync(DEPLOY + directory).filter((file) => /\.yaml$/.test(file))) {
      expect(stdout).toContain(directory + name);
    }
  }
});

test('without --program it says that the audit is left out', TIMEOUT, async () => {
  await using project = await standInProject();
  const { stdout } = await project.apply([...REQUIRED, '--dry-run']);
  expect(stdout).toContain('Left out: name the attestation program with --program to schedule it.');
  expect(stdout).not.toContain('jobs/poh-audit.yaml');
});

test('without a database it asks for its location, and chooses none', TIMEOUT, async () => {
  await using project = await standInProject();
  const { status, stderr } = await project.apply([...REQUIRED, ...PROGRAM]);
  expect(status).toBe(1);
  expect(stderr).toContain('Choose one with --firestore-location');
  expect(await project.there()).toEqual([]);
});

describe('stops at the first failure, and goes on from there when it is run again', () => {
  test.each([1, 5, 33, 70])('call %d', TIMEOUT, async (call) => {
    await using project = await standInProject();
    await project.failAt(call);
    const failed = await project.apply(ALL);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(
      /Stopped: the last command ended with status 7\.\n.*run the same again/,
    );
    expect(failed.stdout + failed.stderr).toContain('PERMISSION_DENIED');
    expect(await project.calls()).toHaveLength(call);
    await project.failAt(undefined);
    // The stand-in refuses to make again what is there.
    expect(await project.apply(ALL)).toMatchObject({ status: 0, stderr: '' });
  });
});

test.each([
  [[], 'Name the project by its id: --project ID.'],
  [['--project', 'Acme DAO'], 'Name the project by its id: --project ID.'],
  [['--project', 'acme-poh'], 'Name the address for the alerts: --alert-email ADDRESS.'],
  [['--project'], 'The option --project needs a value.'],
  [['--dryrun'], 'There is no option --dryrun.'],
])('%j: %s', async (words, sentence) => {
  await using project = await standInProject();
  const { status, stderr } = await project.apply(words);
  expect(stderr.split('\n')[0]).toBe(sentence);
  expect(status).toBe(2);
  expect(await project.calls()).toEqual([]);
});

const shellcheck = promisify(execFile)('shellcheck', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!(await shellcheck))('shellcheck finds nothing', TIMEOUT, async () => {
  const files = ['apply.sh', 'image/audit.sh', '../test/deploy/gcloud-stand-in.sh'];
  const checked = promisify(execFile)('shellcheck', ['-x', '-a', ...files], { cwd: DEPLOY });
  expect(await checked).toMatchObject({ stdout: '' });
});
