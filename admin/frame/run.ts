// One run of the command line: the streams that it writes to, and the status that it ends with.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';

export interface Run {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** What the process exits with, unless the run fails. */
  exitStatus: number;
}

const OF_PROCESS: Run = { stdout: process.stdout, stderr: process.stderr, exitStatus: 0 };
const runs = new AsyncLocalStorage<Run>();

/** Runs `body` with streams and an exit status of its own, and everything that it calls. */
export const within = <T>(run: Run, body: () => T): T => runs.run(run, body);

/** The run that the caller is part of; outside of any (a signal's listener), the process's own. */
export const currentRun = (): Run => runs.getStore() ?? OF_PROCESS;
