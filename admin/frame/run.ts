// The output streams and the exit status of one run of the command line.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';

export interface Run {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** The exit status of the process, unless the run fails. */
  exitStatus: number;
}

const PROCESS_RUN: Run = { stdout: process.stdout, stderr: process.stderr, exitStatus: 0 };
const runs = new AsyncLocalStorage<Run>();

/** Runs `body`, and everything that it calls, with the streams and the exit status of `run`. */
export const withRun = <T>(run: Run, body: () => T): T => runs.run(run, body);

/** The run that the caller is part of. Outside a run, as in a signal's listener, it is that of the process. */
export const currentRun = (): Run => runs.getStore() ?? PROCESS_RUN;
