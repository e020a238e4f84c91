// Makes lookups at a steady rate while a fault lasts, without waiting for earlier lookups. The function must
// respond to each of them, and must recover.

import { vi } from 'vitest';
import { type ServedFunction, serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { createGoogleCloud, type GoogleCloud } from '../doubles/googleCloud.ts';
import { cached } from '../doubles/serviceDouble.ts';
import { send } from '../support/http.ts';
import { timed } from '../support/watch.ts';

/** The promised response time. */
export const RESPONSE_MAX_MS = 10_000;
/** The longest time from the end of a fault to the first 200. */
export const RECOVERY_MAX_MS = 3_000;
const EVERY_MS = 500;
const WAIT_MAX_MS = 120_000;

export interface TimedResponse {
  /** The start of the request, in milliseconds since the start of the stream. */
  readonly at: number;
  readonly ms: number;
  /** The same on the stopwatch of `startWatch`. */
  readonly ranMs: number;
  /** Whether the time limit ended it only because the machine was busy. */
  readonly isStarved: boolean;
  readonly status: number;
}

/** @param lookUp makes a lookup and returns its status */
export function startStream(served: ServedFunction, lookUp: () => Promise<number>) {
  const startedAt = performance.now();
  const now = (): number => performance.now() - startedAt;
  const responses: TimedResponse[] = [];
  const inFlight = new Set<Promise<void>>();
  const request = async (): Promise<void> => {
    const at = now();
    const { response: status, ...times } = await timed(served, lookUp);
    responses.push({ at, ...times, status });
  };
  const begin = (): void => {
    const work = request();
    inFlight.add(work);
    void work.finally(() => inFlight.delete(work));
  };
  begin();
  const timer = setInterval(begin, EVERY_MS);
  return {
    /** Milliseconds since the stream began. */
    now,
    /** Resolves once `count` requests that begin from now on have their responses. */
    async responded(count: number): Promise<void> {
      const from = now();
      const begun = () => responses.filter(({ at }) => at >= from);
      await vi.waitUntil(() => begun().length >= count, { timeout: WAIT_MAX_MS });
    },
    /** Resolves once a lookup has succeeded after a time of `now`. */
    async recovered(from: number): Promise<void> {
      const isLater = ({ at, ms, status }: TimedResponse) => status === 200 && at + ms > from;
      await vi.waitUntil(() => responses.some(isLater), { timeout: WAIT_MAX_MS, interval: 10 });
    },
    /** @returns all responses, once the last one has arrived */
    async stop(): Promise<readonly TimedResponse[]> {
      clearInterval(timer);
      await Promise.all(inFlight);
      return responses;
    },
  };
}

/** Functions start one after the other, because concurrent starts are slow. */
let started: Promise<unknown> = Promise.resolve();

/**
 * Serves the function as in a deployment, with test doubles of Google.
 *
 * @param key sent with every request
 * @param prepare called before the function starts
 */
export async function deploy(key: string, prepare?: (google: GoogleCloud) => void) {
  const google = await createGoogleCloud(cached);
  prepare?.(google);
  const starting = started.then(() => serveFunction(google.env));
  started = starting;
  const served = await starting;
  return {
    google,
    served,
    status: async (target: string) => (await send(served.url, { key, target })).status,
    async stop() {
      await served.stop();
      google.close();
    },
  };
}
