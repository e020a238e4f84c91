// Serves the built function as in production: on its own server, in a separate process.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { freePort } from './freePort.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What Google's builder starts. */
const PROGRAM = 'functions/lib/framework/index.cjs';
const LISTENING_POLL_MS = 2;
const REPORT_POLL_MS = 10;
/** Runs the rest of the command line with separate mounts, which need a user namespace or root's rights. */
export const WITH_MOUNTS = [
  ...['unshare', '--mount'],
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
];
/**
 * Options of Node that let `retainedMemoryMiB` ask the process. The first collection may find calls that are just
 * ending, and the objects behind a buffer are freed after it.
 */
const REPORTS_MEMORY = `--expose-gc --import=data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => {
    gc();
    setTimeout(() => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      process.stderr.write(\`retains \${heapUsed + external} bytes\\n\`);
    }, 500);
  });
`)}`;

const MOUNT = 'mount --bind "$RESOLV_CONF" /etc/resolv.conf && exec "$@"';

export interface ServedFunction {
  readonly url: string;
  readonly process: ChildProcess;
  /** Resolves once the process listens. Rejects with its output if it exits first. */
  readonly listening: Promise<void>;
  /** Everything that the process has written to standard output and standard error. */
  readonly output: () => string;
  /** Kills the process, and waits until everything that it has written is in `output`. */
  readonly stop: () => Promise<void>;
}

/**
 * The program and its options that serve a function under Google's framework.
 *
 * @param source the built file, relative to the repository
 */
export function underGooglesFramework(source = 'functions/lib/index.cjs'): string[] {
  const { resolve: resolveModule } = createRequire(import.meta.url);
  const framework = join(dirname(resolveModule('@google-cloud/functions-framework')), 'main.js');
  return [framework, `--source=${source}`];
}

/** Node's options in the first line of a program, with which a shell starts it. */
const nodeOptionsOf = (program: string): string[] =>
  /^#!.* node (.+)/.exec(readFileSync(resolve(ROOT, program), 'utf8'))?.[1]?.split(' ') ?? [];

/**
 * Starts the function on a free port, without waiting until it listens.
 *
 * @param env added to this process's environment; RESOLV_CONF replaces /etc/resolv.conf for the function
 * @param program what Node runs
 * @param node the version of Node, if not this one
 */
export async function startFunction(
  env: Record<string, string> = {},
  [program = PROGRAM, ...words]: readonly string[] = [],
  node = process.execPath,
): Promise<ServedFunction> {
  const command = [
    ...(env['RESOLV_CONF'] ? [...WITH_MOUNTS, 'sh', '-c', MOUNT, 'sh'] : []),
    ...[node, ...nodeOptionsOf(program), program, ...words],
  ];
  const variables = { ...process.env, FUNCTION_TARGET: ENDPOINT_NAME, ...env };
  return await startServer(command, { cwd: ROOT, env: variables });
}

/** The processes that `startServer` started, by their URL. */
export const processes = new Map<string, ChildProcess>();

/** Starts a process that listens on the port in the variable PORT. */
export async function startServer(
  [program = '', ...words]: readonly string[],
  options: SpawnOptions,
): Promise<ServedFunction> {
  const port = await freePort();
  const child = spawn(program, words, {
    ...options,
    env: { ...options.env, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const failed = closed.then(([status]) => {
    throw new Error(`the server exited with status ${status}:\n${output}`);
  });
  const listening = Promise.race([listens(port), failed]);
  // Prevents unhandled rejections. Callers that await `listening` still see an early exit, and a later
  // exit was requested with `stop`.
  failed.catch(() => undefined);
  listening.catch(() => undefined);
  const url = `http://127.0.0.1:${port}/`;
  processes.set(url, child);
  return {
    url,
    process: child,
    listening,
    output: () => output,
    stop: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Starts the function, whose memory `retainedMemoryMiB` can then measure, and waits until it listens. */
export async function serveFunction(
  env: Record<string, string> = {},
  program?: string[],
): Promise<ServedFunction> {
  const options = `${env['NODE_OPTIONS'] ?? ''} ${REPORTS_MEMORY}`;
  const served = await startFunction({ ...env, NODE_OPTIONS: options }, program);
  await served.listening;
  return served;
}

/**
 * Collects the garbage of a process that `serveFunction` started.
 *
 * @returns what the process keeps in memory after that, in MiB. Its resident memory would include what V8 has not yet
 *   collected, which on a machine with much memory may be hundreds of MiB.
 */
export async function retainedMemoryMiB({ process, output }: ServedFunction): Promise<number> {
  const { length } = output();
  process.kill('SIGUSR2');
  for (;;) {
    const bytes = /^retains (\d+) bytes$/m.exec(output().slice(length))?.[1];
    if (bytes) return Number(bytes) / 1024 ** 2;
    await pause(REPORT_POLL_MS);
  }
}

async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isConnected) return;
    await pause(LISTENING_POLL_MS);
  }
}
