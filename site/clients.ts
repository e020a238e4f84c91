// Packs the clients, from which npm and pip install them, for the site. The same sources give the same bytes, because
// lockfiles have their hashes. What was deployed is in clients/released and stays on the site.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
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
import { VERSION } from './openapi/document.ts';

const CLIENTS = fileURLToPath(new URL('../clients/', import.meta.url));
const LICENSE = 'LICENSE.txt';

/** The names of the archives from which the current versions are installed. */
type Clients = readonly [archive: string, wheel: string];

/** Compiles the TypeScript client, and packs it into a folder. @returns the archive's name */
function packTypescript(folder: string): string {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const compiled = mkdtempSync(join(tmpdir(), 'client-'));
  // `npm run check` has checked the types, which takes most of a second.
  const options = ['-p', join(CLIENTS, 'typescript'), '--outDir', compiled, '--noCheck'];
  execFileSync(process.execPath, [tsc, ...options]);
  for (const file of ['typescript/package.json', 'typescript/README.md', LICENSE])
    copyFileSync(join(CLIENTS, file), join(compiled, basename(file)));
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
  const info = `poh_attestations-${VERSION}.dist-info`;
  const read = (path: string): string => readFileSync(join(CLIENTS, path), 'utf8');
  const files = {
    ...Object.fromEntries(
      globSync('poh_attestations/{*.py,py.typed}', { cwd: join(CLIENTS, 'python') })
        .sort()
        .map((name) => [name, read(`python/${name}`)]),
    ),
    [`${info}/${LICENSE}`]: read(LICENSE),
    [`${info}/METADATA`]: `${read('python/METADATA')}Version: ${VERSION}\n`,
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: poh-attestations\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const records = Object.entries(files).map(
    ([name, text]) =>
      `${name},sha256=${hash('sha256', text, 'base64url')},${Buffer.byteLength(text)}\n`,
  );
  const all = { ...files, [`${info}/RECORD`]: `${records.join('')}${info}/RECORD,,\n` };
  const content = Object.entries(all).map(([name, text]) => [name, Buffer.from(text)] as const);
  // Without compression and with one time, so that the bytes depend only on the sources.
  const options = { level: 0, mtime: new Date(1980, 0, 1) } as const;
  const name = `poh_attestations-${VERSION}-py3-none-any.whl`;
  writeFileSync(join(folder, name), zipSync(Object.fromEntries(content), options));
  return name;
}

/** The content of an archive. Other versions of Node may compress it to other bytes. */
function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.tgz') ? gunzipSync(bytes) : bytes;
}

/** Packs both clients. @param folder the target, which is created */
export function packClients(folder: string): Clients {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  return [packTypescript(folder), packPython(folder)];
}

/**
 * Copies all archives that were deployed before.
 *
 * @param folder the target, which has the current archives
 * @param released the archives that were deployed
 * @throws Error if the current version was deployed with another content
 */
export function addReleased(
  folder: string,
  current: Clients,
  released = join(CLIENTS, 'released'),
): void {
  for (const name of globSync('*.{tgz,whl}', { cwd: released })) {
    const [from, to] = [join(released, name), join(folder, name)];
    if (current.includes(name) && !contentOf(from).equals(contentOf(to)))
      throw new Error(
        `${name} was deployed with another content. Give the clients a new version, as CONTRIBUTING.md says.`,
      );
    copyFileSync(from, to);
  }
}

/** Adds the hashes to the commands of a document that install the clients: pip checks its own, grep that of npm. */
export function withHashes(text: string, folder: string, [archive, wheel]: Clients): string {
  const integrity = `sha512-${hash('sha512', readFileSync(join(folder, archive)), 'base64')}`;
  return text
    .replaceAll(wheel, `$&#sha256=${hash('sha256', readFileSync(join(folder, wheel)))}`)
    .replaceAll(/^npm install \S+\.tgz$/gm, `$&\ngrep -F '${integrity}' package-lock.json`);
}
