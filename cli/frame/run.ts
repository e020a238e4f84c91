// One run of the command line: its output, its exit status, and how long it waits for Google.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure } from '../terminal/failure.ts';

export interface Output {
  readonly isTTY?: boolean;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
  write(text: string, done?: (error?: Error | null) => void): boolean;
}

/** The exit status of a process that was ended with Ctrl-C. */
const INTERRUPTED = 130;

/** How long a command waits after the last sign of life. */
const DEADLINE_MS = 60_000;

export class Run {
  /** The exit status of the process, unless the run fails. */
  exitStatus = 0;
  /** The exit status of a failure that has none of its own. */
  failedStatus = 1;
  /** What is known about the changes, as a sentence. */
  known = 'Nothing was changed.';
  readonly stdout: Output;
  /** A line here, such as the progress of a page, is a sign of life. */
  readonly stderr: Output;
  /** Rejects at the deadline, and at Ctrl-C. */
  readonly ended: Promise<never>;
  readonly #end: (failure: Failure) => void;
  readonly #deadlineMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ stdout, stderr }: Pick<Run, 'stdout' | 'stderr'>, deadlineMs = DEADLINE_MS) {
    this.stdout = stdout;
    const write: Output['write'] = (text, done) => {
      this.#timer?.refresh();
      return stderr.write(text, done);
    };
    this.stderr = { isTTY: stderr.isTTY === true, write };
    this.#deadlineMs = deadlineMs;
    const { promise, reject } = Promise.withResolvers<never>();
    this.ended = promise;
    this.#end = reject;
    // Handled here too, because nobody awaits it once the run has ended.
    promise.catch(() => undefined);
  }

  /** Begins to wait for Google. */
  wait(): void {
    this.#timer ??= setTimeout(() => {
      const silence = `Google has not responded for ${this.#deadlineMs / 1000} seconds.`;
      const advice = 'Check the network and https://status.cloud.google.com.';
      this.#end(new Failure(`${silence} ${this.known} ${advice}`));
    }, this.#deadlineMs);
  }

  /** Does not count the time until the promise is settled, because it depends on a person or has its own limit. */
  async pause<T>(other: Promise<T>): Promise<T> {
    const waited = this.#timer !== undefined;
    this.stop();
    return await other.finally(() => waited && this.wait());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly interrupt = (): void =>
    this.#end(new Failure(`Interrupted. ${this.known}`, { exitStatus: INTERRUPTED }));
}

const runs = new AsyncLocalStorage<Run>();
const PROCESS_RUN = new Run(process);

/** Runs `body`, and everything that it calls, with these streams. */
export async function withRun<T>(
  streams: Pick<Run, 'stdout' | 'stderr'>,
  body: (run: Run) => Promise<T>,
  deadlineMs?: number,
): Promise<T> {
  const run = new Run(streams, deadlineMs);
  process.on('SIGINT', run.interrupt);
  try {
    return await runs.run(run, () => body(run));
  } finally {
    run.stop();
    process.off('SIGINT', run.interrupt);
  }
}

/** The run that the caller is part of. Outside a run, as in an event's listener, it is that of the process. */
export const currentRun = (): Run => runs.getStore() ?? PROCESS_RUN;
