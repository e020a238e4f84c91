// One run of the command line: its output, its exit status, and how long it waits for Google.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure, INTERRUPTED } from '../terminal/failure.ts';

export interface Output {
  readonly isTTY?: boolean;
  write(text: string, done?: (error?: Error | null) => void): boolean;
}

export interface Run {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The exit status of the process, unless the run fails. */
  exitStatus: number;
  /** The exit status of a failure that has none of its own. */
  failedStatus: number;
  readonly wait: Wait;
}

/**
 * Ends a run that waits too long for Google, or that the user interrupts, and says what is known about its
 * changes. Every output of the run begins the waiting time anew.
 */
export class Wait {
  /** Whose response the run waits for. */
  service = 'Firestore';
  /** What is known about the changes, as a sentence. */
  known = 'Nothing was changed.';
  /** How long to wait before saying so. */
  noteMs = 10_000;
  /** How long to wait at most. */
  endMs = 60_000;
  /** Rejects when the run should end. */
  readonly ended: Promise<never>;
  readonly #end: (failure: Failure) => void;
  readonly #stderr: Output;
  #timers: readonly NodeJS.Timeout[] = [];
  #isOver = false;

  constructor(stderr: Output) {
    this.#stderr = stderr;
    const { promise, reject } = Promise.withResolvers<never>();
    this.ended = promise;
    this.#end = reject;
    // Handled here too, because nobody awaits it once the run has ended.
    promise.catch(() => undefined);
  }

  /** Begins the waiting time anew. */
  begin(): void {
    this.pause();
    const seconds = (ms: number): number => Math.round(ms / 1000);
    const note = (): void => {
      const left = seconds(this.endMs - this.noteMs);
      this.#stderr.write(
        `Waiting for ${this.service}. Without a response, this ends in ${left} s.\n`,
      );
    };
    const end = (): void => {
      const what = `${this.service} has not responded for ${seconds(this.endMs)} seconds.`;
      const advice = 'Check the network and https://status.cloud.google.com.';
      this.#end(new Failure(`${what} ${this.known} ${advice}`));
    };
    this.#timers = [setTimeout(note, this.noteMs), setTimeout(end, this.endMs)];
  }

  /** @returns a function that begins to wait again, if it waited */
  pause(): () => void {
    const waited = this.#timers.length > 0;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    return () => {
      if (waited && !this.#isOver) this.begin();
    };
  }

  /** Never waits again. */
  stop(): void {
    this.pause();
    this.#isOver = true;
  }

  /** Ends the run at Ctrl-C. */
  readonly interrupt = (): void => {
    this.#end(new Failure(`Interrupted. ${this.known}`, { exitStatus: INTERRUPTED }));
  };
}

const PROCESS_RUN: Run = {
  stdout: process.stdout,
  stderr: process.stderr,
  exitStatus: 0,
  failedStatus: 1,
  wait: new Wait(process.stderr),
};
const runs = new AsyncLocalStorage<Run>();

/** Runs `body`, and everything that it calls, with these streams. */
export async function withRun<T>(
  { stdout, stderr }: Pick<Run, 'stdout' | 'stderr'>,
  body: (run: Run) => Promise<T>,
): Promise<T> {
  const wait = new Wait(stderr);
  const watched = (stream: Output): Output => ({
    ...(stream.isTTY && { isTTY: true }),
    write(text, done) {
      // The reader of the output may take any time.
      const resume = wait.pause();
      return stream.write(text, (error) => {
        resume();
        done?.(error);
      });
    },
  });
  const run: Run = {
    stdout: watched(stdout),
    stderr: watched(stderr),
    exitStatus: 0,
    failedStatus: 1,
    wait,
  };
  process.on('SIGINT', wait.interrupt);
  try {
    return await runs.run(run, () => body(run));
  } finally {
    wait.stop();
    process.off('SIGINT', wait.interrupt);
  }
}

/** The run that the caller is part of. Outside a run, as in an event's listener, it is that of the process. */
export const currentRun = (): Run => runs.getStore() ?? PROCESS_RUN;
