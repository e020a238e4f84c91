// Serves the built function as production does: functions-framework in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

const ROOT = new URL('..', import.meta.url);
const BUILT = 'functions/lib/index.cjs';

export interface ServedFunction {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything that it has written to standard output and standard error. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the function on a free port and waits until it listens.
 *
 * @param env added to this process's environment
 * @param source the built file, relative to the repository
 */
export async function serveFunction(
  env: Record<string, string> = {},
  source = BUILT,
): Promise<ServedFunction> {
  const port = await freePort();
  const framework = createRequire(import.meta.url).resolve('@google-cloud/functions-framework');
  const main = new URL('main.js', `file://${framework}`).pathname;
  const child = spawn(
    process.execPath,
    [main, `--source=${source}`, '--target=pohAttestationsEndpoint', `--port=${port}`],
    { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const output = await listening(child);
  return {
    url: `http://127.0.0.1:${port}/`,
    process: child,
    output,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** @returns a reader of all output so far, once the server has said that it listens */
function listening(child: ChildProcess): Promise<() => string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const collect = (chunk: Buffer): void => {
      text += chunk;
      if (text.includes('URL: http')) resolve(() => text);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('exit', (status) => {
      reject(new Error(`functions-framework ended with status ${status}:\n${text}`));
    });
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
