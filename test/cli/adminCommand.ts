// Runs the command line for admins, either in this process or in a separate one as an admin does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { assembleProgram, runProgram } from '../../cli/program.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { LONG_RUN } from '../support/amount.ts';

export const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Shorter than a test's own limit, so that a failure shows what the command printed. */
export const TIME_LIMIT_MS = (LONG_RUN ? 20 : 4) * 60_000;

/** What gcloud stores for a person who has signed in. */
export const USER_CREDENTIALS = {
  type: 'authorized_user',
  client_id: 'client.apps.googleusercontent.com',
  client_secret: 'client-secret',
  refresh_token: 'refresh-token',
};

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @returns what the command printed @throws if it failed, with what it said */
export function expectOk({ status, stdout, stderr }: CommandResult): string {
  if (status !== 0) throw new Error(`The command ended with status ${status}: ${stderr}`);
  return stdout;
}

/** The commands of the command line by their names, such as `keys create`. */
export const commandsOf = (
  { commands }: Command = assembleProgram(),
  before = '',
): [name: string, command: Command][] =>
  commands.flatMap((one) => {
    const name = `${before}${one.name()}`;
    return one.commands.length > 0 ? commandsOf(one, `${name} `) : [[name, one]];
  });

/** Adds an account with a wallet, which has signed in with Google. */
export async function addGoogleAccount(uid: string, email: string, customClaims: object) {
  const metadata = {
    creationTime: 'Fri, 20 Nov 2026 09:00:00 GMT',
    lastSignInTime: 'Sat, 21 Nov 2026 10:00:00 GMT',
  };
  const providerData = [{ uid, email, providerId: 'google.com' }];
  await openEmulators().auth.importUsers([{ uid, email, metadata, providerData, customClaims }]);
}

/**
 * Runs a command in this process, which is ten times as fast as a separate one.
 *
 * @param deadlineMs how long it waits for Google, if not as long as usual
 * @param isTTY whether its output is a terminal of so many columns
 */
export async function runAdmin(
  words: readonly string[],
  { deadlineMs, ...terminal }: { deadlineMs?: number; columns?: number; isTTY?: boolean } = {},
): Promise<CommandResult> {
  const output = () => Object.assign(new PassThrough(), terminal);
  const [stdout, stderr] = [output(), output()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const status = await runProgram(assembleProgram(), words, { stdout, stderr }, deadlineMs);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { status, stdout: out, stderr: err };
}

/**
 * Runs a command in a separate process, to test its environment, memory or output.
 *
 * @param env added to this process's environment; undefined removes a variable
 */
export async function spawnAdmin(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    timeout: TIME_LIMIT_MS,
  });
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { status: child.exitCode, stdout, stderr };
}
