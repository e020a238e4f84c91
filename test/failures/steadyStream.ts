// Lookups at a steady pace while something fails, whatever becomes of those before: an instance must neither lose them
// nor stay lost because of them.

import { createGoogleCloud, type GoogleCloud } from '../../doubles/googleCloud.ts';
import { cached } from '../../doubles/standIn.ts';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';

/** What callers are promised. */
export const PROMISED_MS = 10_000;
/** From the end of a fault to the first response. */
export const RECOVERED_MS = 3_000;
const EVERY_MS = 500;

export interface Answer {
  /** When its request began: milliseconds since the stream did. */
  readonly at: number;
  readonly ms: number;
  readonly status: number;
}

export interface Stream {
  /** Resolves once so many requests, counted from now, have their responses. */
  answered(count: number): Promise<void>;
  /** Milliseconds since the stream began. */
  now(): number;
  /** @returns all answers, once the last one has arrived */
  stop(): Promise<readonly Answer[]>;
}

/** @param lookUp @returns the status */
export function startStream(lookUp: () => Promise<number>, everyMs = EVERY_MS): Stream {
  const startedAt = performance.now();
  const now = (): number => performance.now() - startedAt;
  const answers: Answer[] = [];
  const inFlight = new Set<Promise<void>>();
  const watched = new Set<() => void>();
  const request = async (): Promise<void> => {
    const at = now();
    const status = await lookUp();
    answers.push({ at, ms: now() - at, status });
    for (const check of watched) check();
  };
  const begin = (): void => {
    const work = request();
    inFlight.add(work);
    void work.finally(() => inFlight.delete(work));
  };
  begin();
  const timer = setInterval(begin, everyMs);
  return {
    now,
    answered(count) {
      const from = now();
      return new Promise((resolve) => {
        const check = (): void => {
          if (answers.filter(({ at }) => at >= from).length < count) return;
          watched.delete(check);
          resolve();
        };
        watched.add(check);
      });
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      return answers;
    },
  };
}

export interface Deployed {
  readonly google: GoogleCloud;
  readonly served: ServedFunction;
  readonly status: (target: string) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** One starts after the other: together, each would be slow. */
let started: Promise<unknown> = Promise.resolve();

/**
 * Serves the function as deployed.
 *
 * @param key of its requests
 * @param prepare called before it starts; @returns what is added to its environment
 */
export async function deploy(
  key: string,
  prepare?: (google: GoogleCloud) => Promise<Record<string, string>> | Record<string, string>,
): Promise<Deployed> {
  const google = await createGoogleCloud(cached);
  const env = { ...google.env, ...(await prepare?.(google)) };
  const starting = started.then(() => serveFunction(env));
  started = starting;
  const served = await starting;
  return {
    google,
    served,
    status: async (target) => (await send(served.url, { key, target })).status,
    async stop() {
      await served.stop();
      google.close();
    },
  };
}
