// Packs and serves the clients. Each release is committed in clients/released and stays on the site for ever,
// because lockfiles contain its address and hash.
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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENTS = fileURLToPath(new URL('../clients/', import.meta.url));
export const RELEASED = join(CLIENTS, 'released');
const LICENSE = 'LICENSE.txt';
/** The hashes of all released files, in the format of sha256sum. */
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
  const versions = globSync('*.tgz', { cwd: RELEASED }).map((name) =>
    name.replace(/^.*-|\.tgz$/g, ''),
  );
  const [latest] = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (latest === undefined) throw new Error(`${RELEASED} is empty. Restore it with git.`);
  return latest;
}

/** The names of the released files for TypeScript, Python and Go. */
export const namesOf = (version: string) =>
  [
    `poh-attestations-${version}.tgz`,
    `poh_attestations-${version}.py`,
    `poh-${version}.go`,
  ] as const;

/** Compiles the TypeScript client into a folder, as npm packs it. */
export function compileTypescript(folder: string): void {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const source = join(CLIENTS, 'typescript');
  execFileSync(process.execPath, [tsc, '-p', source, '--outDir', folder]);
  for (const file of ['package.json', 'README.md'])
    copyFileSync(join(source, file), join(folder, file));
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  for (const name of globSync('*.d.ts', { cwd: folder })) rewriteImports(join(folder, name));
}

/** The compiler rewrites extensions only in JavaScript, so this rewrites them in declarations. */
function rewriteImports(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
}

function describeFile(name: string): ClientFile {
  const content = readFileSync(join(RELEASED, name));
  const sha256 = createHash('sha256').update(content).digest('hex');
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  return { name, bytes: content.length, sha256, integrity };
}

/**
 * Copies every release to the site, and the latest one also to names without a version.
 *
 * @param folder the target, which is created
 * @returns the files of the latest release
 */
export function buildClients(folder: string): ClientFile[] {
  cpSync(RELEASED, folder, { recursive: true });
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  const [archive, python, go] = namesOf(releasedVersion());
  copyFileSync(join(RELEASED, python), join(folder, 'poh_attestations.py'));
  copyFileSync(join(RELEASED, go), join(folder, 'poh.go'));
  for (const examples of ['python/examples', 'go/examples']) {
    cpSync(join(CLIENTS, examples), join(folder, examples), { recursive: true });
  }
  return [archive, python, go].map(describeFile);
}

/** The commands that compare the downloaded files with their hashes. */
export function checkCommands([archive, python, go]: readonly ClientFile[]): string {
  return [
    `grep -F '${archive?.integrity}' package-lock.json`,
    `echo '${python?.sha256}  poh_attestations.py' | sha256sum -c`,
    `echo '${go?.sha256}  poh/poh.go' | sha256sum -c`,
  ].join('\n');
}

/** Adds the current version. @throws Error if it was already released */
function release(): void {
  const version = sourceVersion();
  const [archive, python, go] = namesOf(version);
  mkdirSync(RELEASED, { recursive: true });
  if (existsSync(join(RELEASED, archive))) {
    throw new Error(
      `${version} was released. Give the clients a new number, as CONTRIBUTING.md says.`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  compileTypescript(folder);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', RELEASED], { cwd: folder });
  rmSync(folder, { recursive: true });
  copyFileSync(join(CLIENTS, 'python/poh_attestations.py'), join(RELEASED, python));
  copyFileSync(join(CLIENTS, 'go/poh.go'), join(RELEASED, go));
  const lines = [archive, python, go]
    .map(describeFile)
    .map(({ sha256, name }) => `${sha256}  ${name}\n`);
  writeFileSync(join(RELEASED, SUMS), lines.join(''), { flag: 'a' });
}

if (import.meta.main) release();
