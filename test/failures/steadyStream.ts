// Makes lookups at a steady rate while a fault lasts, without waiting for earlier lookups. The function must
// respond to each of them, and must recover.

import { createGoogleCloud, type GoogleCloud } from '../../tools/doubles/googleCloud.ts';
import { cached } from '../../tools/doubles/standIn.ts';
import { type ServedFunction, serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { send } from '../support/http.ts';

/** The promised response time. */
export const RESPONSE_MAX_MS = 10_000;
/** The longest time from the end of a fault to the first 200. */
export const RECOVERY_MAX_MS = 3_000;
const EVERY_MS = 500;

export interface TimedResponse {
  /** The start of the request, in milliseconds since the start of the stream. */
  readonly at: number;
  readonly ms: number;
  readonly status: number;
}

export interface Stream {
  /** Resolves once `count` requests that begin from now on have their responses. */
  responded(count: number): Promise<void>;
  /** Milliseconds since the stream began. */
  now(): number;
  /** @returns all responses, once the last one has arrived */
  stop(): Promise<readonly TimedResponse[]>;
}

/** @param lookUp makes a lookup and returns its status */
export function startStream(lookUp: () => Promise<number>, everyMs = EVERY_MS): Stream {
  const startedAt = performance.now();
  const now = (): number => performance.now() - startedAt;
  const responses: TimedResponse[] = [];
  const inFlight = new Set<Promise<void>>();
  const checks = new Set<() => void>();
  const request = async (): Promise<void> => {
    const at = now();
    const status = await lookUp();
    responses.push({ at, ms: now() - at, status });
    for (const check of checks) check();
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
    responded(count) {
      const from = now();
      return new Promise((resolve) => {
        const check = (): void => {
          if (responses.filter(({ at }) => at >= from).length < count) return;
          checks.delete(check);
          resolve();
        };
        checks.add(check);
      });
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      return responses;
    },
  };
}

export interface Deployed {
  readonly google: GoogleCloud;
  readonly served: ServedFunction;
  readonly status: (target: string) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Functions start one after the other, because concurrent starts are slow. */
let started: Promise<unknown> = Promise.resolve();

/**
 * Serves the function as in a deployment, with stand-ins for Google.
 *
 * @param key sent with every request
 * @param prepare called before the function starts; returns variables to add to its environment
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
