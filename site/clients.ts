// Builds the clients into a folder of the site, with the SHA-256 of each file.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
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
const LICENSE = 'LICENSE.txt';

export interface ClientFile {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Compiles the TypeScript client and packs it with npm. @returns the name of the archive */
function packTypescript(target: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  // The usual cache may be in a home that does not exist.
  const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
  try {
    const tsc = join(
      createRequire(import.meta.url).resolve('typescript/package.json'),
      '../bin/tsc',
    );
    const source = join(CLIENTS, 'typescript');
    execFileSync(process.execPath, [tsc, '-p', source, '--outDir', folder]);
    for (const file of ['package.json', 'README.md']) {
      copyFileSync(join(source, file), join(folder, file));
    }
    copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
    for (const name of globSync('*.d.ts', { cwd: folder })) rewriteImports(join(folder, name));
    const words = ['pack', '--silent', '--cache', cache, '--pack-destination', target];
    return execFileSync('npm', words, { cwd: folder, encoding: 'utf8' }).trim();
  } finally {
    for (const each of [folder, cache]) rmSync(each, { recursive: true });
  }
}

/** The compiler rewrites extensions only in JavaScript, so this rewrites them in declarations. */
function rewriteImports(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
}

/** @param folder the target, which is created */
export function buildClients(folder: string): ClientFile[] {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(CLIENTS, 'python/poh_attestations.py'), join(folder, 'poh_attestations.py'));
  copyFileSync(join(CLIENTS, 'go/poh.go'), join(folder, 'poh.go'));
  copyFileSync(join(CLIENTS, LICENSE), join(folder, LICENSE));
  return [packTypescript(folder), 'poh_attestations.py', 'poh.go'].map((name) => {
    const content = readFileSync(join(folder, name));
    const sha256 = createHash('sha256').update(content).digest('hex');
    // The format of sha256sum, which `sha256sum -c` checks.
    writeFileSync(join(folder, `${name}.sha256`), `${sha256}  ${name}\n`);
    return { name, bytes: content.length, sha256 };
  });
}
