// Runs the admins' command line as a person does: a process of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../admin/main.ts', import.meta.url));

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param nodeOptions for Node itself, before the command line
 * @param env added to this process's environment; undefined takes a variable out of it
 * @param echo whether its progress is shown as it comes
 * @param interrupt sends it a Ctrl-C when it is aborted
 */
export async function runAdmin(
  words: readonly string[],
  {
    nodeOptions = [],
    env = {},
    echo = false,
    interrupt,
  }: {
    nodeOptions?: readonly string[];
    env?: NodeJS.ProcessEnv;
    echo?: boolean;
    interrupt?: AbortSignal;
  } = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [...nodeOptions, MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  interrupt?.addEventListener('abort', () => child.kill('SIGINT'));
  if (echo) child.stderr.pipe(process.stderr);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exited;
  return { status: child.exitCode, stdout, stderr };
}
