// Times what the service does, so that a busy machine breaks no promise about time. What the machine was too busy for is
// recorded, and printed at the end of a run.

import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { inject } from 'vitest';
import { REQUEST_LIMIT_MS } from '../../functions/src/timeLimits.ts';
import { processes, type ServedFunction } from '../../tools/sandbox/servedFunction.ts';
import { record } from './usedValues.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    servedUrl: string;
    servedPid: number;
  }
}

/** The promised response time of every request. */
export const RESPONSE_MAX_MS = 10_000;
/** A request without a response for this long will not get one. */
const GIVEN_UP_MS = 2 * RESPONSE_MAX_MS;
const ATTEMPTS_MAX = 5;

/** Of a response. */
export interface Times {
  readonly ms: number;
  /** The same on the stopwatch of `startWatch`. */
  readonly ranMs: number;
  /** Whether the function's time limit ended the lookup only because the machine was busy. */
  readonly isStarved: boolean;
}

/**
 * Starts a stopwatch that stands still while this process or the function waits for a CPU. Waits of both may be one and
 * the same, so only the longer one counts.
 *
 * @param served omit it if the code under test runs in this process
 * @returns a function that returns the milliseconds so far
 */
export const startWatch = (served?: ServedFunction): (() => number) =>
  watchProcess(served?.process.pid);

function watchProcess(pid = process.pid): () => number {
  if (priorityOf(pid) > getPriority()) {
    throw new Error(
      'The function has lowered its own priority, so that it waits for a CPU is no fault of the machine.',
    );
  }
  const waits = [process.pid, pid].map((each) => ({ pid: each, before: waitedMs(each) }));
  const startedAt = performance.now();
  return () => {
    const waited = waits.map(({ pid, before }) => waitedMs(pid) - before);
    return performance.now() - startedAt - Math.max(...waited, 0);
  };
}

/** As the system counts, higher for one that gives way to others. */
function priorityOf(pid: number): number {
  try {
    return getPriority(pid);
  } catch {
    // It has exited, and the request will say so.
    return 0;
  }
}

/**
 * How long the main thread of a process has waited for a CPU so far, in milliseconds. On a busy machine that is no time
 * that the process has taken. 0 where the system does not count it.
 */
function waitedMs(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Times a request, and checks the promised time. The Functions emulator is not checked, because it first starts a process.
 *
 * @param what names the request in messages
 * @param ask sends it, and ends with an error if the signal is aborted
 * @throws if the function took longer than promised
 */
export async function timed<T>(
  url: string,
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<{ response: T } & Times> {
  const pid = url === inject('servedUrl') ? inject('servedPid') : processes.get(url)?.pid;
  const [watch, startedAt] = [watchProcess(pid), performance.now()];
  const giveUp = new AbortController();
  const isChecked = pid !== undefined;
  const check = () => isChecked && watch() > GIVEN_UP_MS && giveUp.abort();
  const timer = setInterval(check, 1_000);
  const response = await ask(giveUp.signal)
    .catch((error: unknown) => {
      if (!giveUp.signal.aborted) throw error;
      throw new Error(`expected a response within 10 s, got none within 20 s: ${what}`);
    })
    .finally(() => clearInterval(timer));
  const [ms, ranMs] = [performance.now() - startedAt, watch()];
  if (isChecked && ms > RESPONSE_MAX_MS) {
    const took = `${seconds(ms)}, of which the function or its caller waited ${seconds(ms - ranMs)} for a CPU: ${what}`;
    if (ranMs > RESPONSE_MAX_MS)
      throw new Error(`expected a response within 10 s, got it after ${took}`);
    record('late', took);
  }
  const isStarved = ms > REQUEST_LIMIT_MS && ranMs < REQUEST_LIMIT_MS * 0.9;
  return { response, ms, ranMs, isStarved };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(4)} s`;

/** An attempt failed, perhaps only because the machine was busy. */
export class MachineBusy extends Error {}

/**
 * Repeats an attempt that throws MachineBusy, a few times.
 *
 * @param what names the attempt in the list at the end of the run
 */
export async function repeatIfBusy<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof MachineBusy)) throw error;
      record('busy', what);
      if (attempts === ATTEMPTS_MAX) throw error;
    }
  }
}
