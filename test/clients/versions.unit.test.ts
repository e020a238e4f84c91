// Compares the versions of the clients with the documents, and the releases with the sources.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  buildClients,
  compileTypescript,
  namesOf,
  RELEASED,
  releasedVersion,
  sourceVersion,
} from '../../site/clients.ts';

const version = sourceVersion();
const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each([
  ['clients/typescript/index.ts', `VERSION = '${version}'`],
  ['clients/python/poh_attestations.py', `__version__ = "${version}"`],
])("%s has the clients' version", (path, text) => expect(read(path)).toContain(text));

const isShallow = spawnSync('git', ['rev-parse', '--is-shallow-repository'], { encoding: 'utf8' });
const hasHistory = isShallow.stdout?.trim() === 'false';

describe('a release', () => {
  const sums = readFileSync(join(RELEASED, 'SHA256SUMS'), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'released-'));
  beforeAll(() => buildClients(folder));

  test.each(['docs/integrating.md', 'docs/clients.md'])('is the one that %s installs', (path) => {
    for (const name of namesOf(releasedVersion())) expect(read(path)).toContain(name);
    const named = [...read(path).matchAll(/clients\/poh[-_\w]*-([\d.]+)\.(?:tgz|py)/g)];
    expect(new Set(named.map(([, one]) => one))).toEqual(new Set([releasedVersion()]));
  });

  test('is served with the listed hashes', () => {
    const check = spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: folder });
    expect(String(check.stderr)).toBe('');
    const listed = [...sums.matchAll(/^\w{64} {2}(.+)$/gm)].map(([, name]) => name);
    const served = readdirSync(folder).filter((name) => /^poh.*\d/.test(name));
    expect(served.sort()).toEqual(listed.sort());
  });

  // A shallow clone, or an archive, has no earlier releases to compare with.
  test.skipIf(!hasHistory)('never changes and never goes away', () => {
    const words = ['log', '--format=', '-p', '--', 'SHA256SUMS'];
    const { stdout } = spawnSync('git', words, { cwd: RELEASED, encoding: 'utf8' });
    const released = [...stdout.matchAll(/^[-+](\w{64} .*)$/gm)].map(([, line = '']) => line);
    expect(released).not.toEqual([]);
    expect(released.filter((line) => !sums.includes(line))).toEqual([]);
  });

  test.runIf(version === releasedVersion())(
    'equals the sources; if this fails, give the clients a new number, as CONTRIBUTING.md says',
    () => {
      const [archive, python] = namesOf(version);
      const readReleased = (name: string) => readFileSync(join(folder, name), 'utf8');
      expect(read('clients/python/poh_attestations.py')).toBe(readReleased(python));
      const compiled = mkdtempSync(join(tmpdir(), 'compiled-'));
      spawnSync('tar', ['-xzf', archive], { cwd: folder });
      compileTypescript(compiled);
      expect(contentsOf(compiled)).toEqual(contentsOf(join(folder, 'package')));
    },
  );
});

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
