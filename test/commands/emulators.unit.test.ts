// Tests what `npm run emulators` finds on a machine, how it runs a command, and that nothing runs without it.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { exitStatusOf, findJavaFolder, wordsFor } from '../../tools/emulators.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
afterEach(() => void vi.unstubAllEnvs());

/** Writes a `java` that prints this version. @returns its folder */
function writeJava(version: string): string {
  const bin = join(folder, version, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\necho 'openjdk version "${version}"' >&2\n`;
  writeFileSync(join(bin, 'java'), script, { mode: 0o755 });
  return bin;
}

test('Java is taken from JAVA_HOME, then from the PATH, if it is new enough', () => {
  const [old, recent, later] = [writeJava('17.0.15'), writeJava('21.0.7'), writeJava('25')];
  const PATH = `${old}:${later}`;
  expect(findJavaFolder({ JAVA_HOME: join(recent, '..'), PATH })).toBe(recent);
  expect(findJavaFolder({ JAVA_HOME: join(old, '..'), PATH })).toBe(later);
});

test.each([
  [0, null, 0],
  [7, null, 7],
  [null, null, 1],
  [0, 'SIGINT', 130],
  [null, 'SIGKILL', 137],
] as const)('status %s or the signal %s ends it with status %i', (status, signal, expected) => {
  expect(exitStatusOf(status, signal)).toBe(expected);
});

test('a command gets its words as they were given', () => {
  const words = ['a b', "it's", '$HOME', '"'];
  const script = wordsFor(['printf', '%s\\n', ...words], 'QUIET').at(-1) ?? '';
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${words.join('\n')}\n`);
});

test.each(['FIRESTORE', 'FIREBASE_AUTH'])(
  'no data are written with only %s_EMULATOR_HOST',
  (name) => {
    // The other one would be that of a real project.
    vi.stubEnv(`${name}_EMULATOR_HOST`, '127.0.0.1:9');
    expect(openEmulators).toThrow('The emulators are not running.');
  },
);

test.each([
  ['23.99.0', 'or later, and this is Node 23.99.0 '],
  ['24.1.9', 'or later, and this is Node 24.1.9 '],
  ['24.2.0', ''],
  ['25.0.0', ''],
])('Node %s prints "%s" before a command', (node, says) => {
  const version = `Object.defineProperty(process, 'versions', { value: { node: '${node}' } })`;
  const script = `${version}; require('./tools/requireNode.cjs')`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(stderr).toContain(says);
  expect(status).toBe(says === '' ? 0 : 1);
});
