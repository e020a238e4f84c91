// Packs the clients, from which npm and pip install them, for the site. The same sources give the same bytes, because
// lockfiles have their hashes. What was deployed is in clients/released and stays on the site.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { zipSync } from 'fflate';

const CLIENTS = fileURLToPath(new URL('../clients/', import.meta.url));
const LICENSE = 'LICENSE.txt';

export interface ClientFile {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** As in npm's lockfile. */
  readonly integrity: string;
}

/** The version of both clients. */
export const clientVersion = (): string =>
  JSON.parse(readFileSync(join(CLIENTS, 'typescript/package.json'), 'utf8')).version;

/** Compiles the TypeScript client, and packs it into a folder. @returns the archive's name */
function packTypescript(folder: string): string {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const source = join(CLIENTS, 'typescript');
  const compiled = mkdtempSync(join(tmpdir(), 'client-'));
  execFileSync(process.execPath, [tsc, '-p', source, '--outDir', compiled]);
  for (const file of ['package.json', 'README.md'])
    copyFileSync(join(source, file), join(compiled, file));
  copyFileSync(join(CLIENTS, LICENSE), join(compiled, LICENSE));
  // The compiler rewrites extensions only in JavaScript, so they are rewritten here in declarations.
  for (const name of globSync('*.d.ts', { cwd: compiled })) {
    const file = join(compiled, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
  }
  const pack = ['pack', '--silent', '--pack-destination', folder];
  return execFileSync('npm', pack, { cwd: compiled, encoding: 'utf8' }).trim();
}

/** Zips the Python client as a wheel, the format that pip installs without running any code. @returns its name */
function packPython(folder: string): string {
  const version = clientVersion();
  const info = `poh_attestations-${version}.dist-info`;
  const read = (path: string): string => readFileSync(join(CLIENTS, path), 'utf8');
  const files = {
    'poh_attestations/__init__.py': read('python/poh_attestations.py'),
    // Says that the package has types.
    'poh_attestations/py.typed': '',
    [`${info}/${LICENSE}`]: read(LICENSE),
    [`${info}/METADATA`]: `${read('python/METADATA')}Version: ${version}\n`,
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: poh-attestations\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const records = Object.entries(files).map(([name, text]) => {
    const digest = createHash('sha256').update(text).digest('base64url');
    return `${name},sha256=${digest},${Buffer.byteLength(text)}\n`;
  });
  const all = { ...files, [`${info}/RECORD`]: `${records.join('')}${info}/RECORD,,\n` };
  const content = Object.entries(all).map(([name, text]) => [name, Buffer.from(text)] as const);
  // Without compression and with one time, so that the bytes depend only on the sources.
  const options = { level: 0, mtime: new Date(1980, 0, 1) } as const;
  const name = `poh_attestations-${version}-py3-none-any.whl`;
  writeFileSync(join(folder, name), zipSync(Object.fromEntries(content), options));
  return name;
}

function describeFile(path: string): ClientFile {
  const content = readFileSync(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  return { name: basename(path), bytes: content.length, sha256, integrity };
}

/** The content of an archive. Other versions of Node may compress it to other bytes. */
function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.tgz') ? gunzipSync(bytes) : bytes;
}

/**
 * Packs both clients, and copies all that were deployed before.
 *
 * @param folder the target, which is created
 * @param released the archives that were deployed
 * @returns the npm package and the wheel of the current version
 * @throws Error if the current version was deployed with another content
 */
export function buildClients(
  folder: string,
  released = join(CLIENTS, 'released'),
): [ClientFile, ClientFile] {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  const names = [packTypescript(folder), packPython(folder)] as const;
  for (const name of globSync('*.{tgz,whl}', { cwd: released })) {
    const [from, to] = [join(released, name), join(folder, name)];
    if (names.includes(name) && !contentOf(from).equals(contentOf(to)))
      throw new Error(
        `${name} was deployed with another content. Give the clients a new version, as CONTRIBUTING.md says.`,
      );
    copyFileSync(from, to);
  }
  const [archive, wheel] = names.map((name) => describeFile(join(folder, name)));
  if (!archive || !wheel) throw new Error('There is an archive for each language.');
  return [archive, wheel];
}

/** Adds the hashes to the commands of a document that install the clients: pip checks its own, grep that of npm. */
export const withHashes = (
  text: string,
  [archive, wheel]: readonly [ClientFile, ClientFile],
): string =>
  text
    .replaceAll(wheel.name, `${wheel.name}#sha256=${wheel.sha256}`)
    .replaceAll(/^npm install \S+\.tgz$/gm, `$&\ngrep -F '${archive.integrity}' package-lock.json`);
