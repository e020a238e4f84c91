// Packs and serves the clients. Each release is committed as an archive in clients/released and stays on the site
// for ever, because lockfiles contain the addresses and hashes of its files.
//   npm run release:clients   adds the clients' current version to clients/released

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENTS = fileURLToPath(new URL('../clients/', import.meta.url));
export const RELEASED = join(CLIENTS, 'released');
const LICENSE = 'LICENSE.txt';
const EXAMPLES = ['python/example.py'];
/** The hashes of the files of all releases, in the format of sha256sum. */
const SUMS = 'SHA256SUMS';

export interface ClientFile {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** As in npm's lockfile. */
  readonly integrity: string;
}

/** The version in the clients' sources, released or not. */
export const sourceVersion = (): string =>
  JSON.parse(readFileSync(join(CLIENTS, 'typescript/package.json'), 'utf8')).version;

/** The latest version in clients/released. */
export function releasedVersion(): string {
  const versions = globSync('*.tgz', { cwd: RELEASED }).map((name) => basename(name, '.tgz'));
  const [latest] = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (latest === undefined) throw new Error(`${RELEASED} is empty. Restore it with git.`);
  return latest;
}

/** The names of the released files for TypeScript and Python. */
export const namesOf = (version: string) =>
  [`poh-attestations-${version}.tgz`, `poh_attestations-${version}.py`] as const;

/** Compiles the TypeScript client into a folder, as npm packs it. */
export function compileTypescript(folder: string): void {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const source = join(CLIENTS, 'typescript');
  execFileSync(process.execPath, [tsc, '-p', source, '--outDir', folder]);
  for (const file of ['package.json', 'README.md'])
    copyFileSync(join(source, file), join(folder, file));
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  // The compiler rewrites extensions only in JavaScript, so they are rewritten here in declarations.
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
  }
}

function describeFile(path: string): ClientFile {
  const content = readFileSync(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  return { name: basename(path), bytes: content.length, sha256, integrity };
}

/**
 * Unpacks every release, and copies the examples.
 *
 * @param folder the target, which is created
 * @returns the files of the latest release
 * @throws Error if a listed file is missing or has another hash
 */
export function buildClients(folder: string): ClientFile[] {
  mkdirSync(folder, { recursive: true });
  for (const archive of globSync('*.tgz', { cwd: RELEASED })) {
    execFileSync('tar', ['-xzf', join(RELEASED, archive), '-C', folder]);
  }
  const sums = readFileSync(join(RELEASED, SUMS), 'utf8');
  for (const [, sha256, name = ''] of sums.matchAll(/^(\w{64}) {2}(.+)$/gm)) {
    if (describeFile(join(folder, name)).sha256 !== sha256)
      throw new Error(`The released file ${name} was changed. Restore its archive with git.`);
  }
  writeFileSync(join(folder, SUMS), sums);
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  for (const examples of EXAMPLES) {
    cpSync(join(CLIENTS, examples), join(folder, examples));
  }
  return namesOf(releasedVersion()).map((name) => describeFile(join(folder, name)));
}

/** The commands that compare the downloaded files with their hashes. */
export function checkCommands([archive, python]: readonly ClientFile[]): string {
  return [
    `grep -F '${archive?.integrity}' package-lock.json`,
    `echo '${python?.sha256}  poh_attestations.py' | sha256sum -c`,
  ].join('\n');
}

/** Adds the current version. @throws Error if it was already released */
function release(): void {
  const version = sourceVersion();
  const archive = join(RELEASED, `${version}.tgz`);
  if (existsSync(archive)) {
    throw new Error(
      `${version} was released. Give the clients a new number, as CONTRIBUTING.md says.`,
    );
  }
  const [compiled, folder] = [makeFolder(), makeFolder()];
  const names = namesOf(version);
  compileTypescript(compiled);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: compiled });
  copyFileSync(join(CLIENTS, 'python/poh_attestations.py'), join(folder, names[1]));
  const files = names.map((name) => describeFile(join(folder, name)));
  execFileSync('tar', ['-czf', archive, ...names], { cwd: folder });
  const lines = files.map(({ sha256, name }) => `${sha256}  ${name}\n`);
  writeFileSync(join(RELEASED, SUMS), lines.join(''), { flag: 'a' });
  for (const made of [compiled, folder]) rmSync(made, { recursive: true });
}

const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'client-'));

if (import.meta.main) release();
