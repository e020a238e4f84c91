// Makes lookups at a steady rate while a fault lasts, without waiting for earlier lookups. The function must
// respond to each of them, and must recover.

import { vi } from 'vitest';
import { serveFunction } from '../../tools/sandbox/servedFunction.ts';
import { createGoogleCloud, type GoogleCloud } from '../doubles/googleCloud.ts';
import { cached } from '../doubles/serviceDouble.ts';
import { send } from '../support/http.ts';
import { RESPONSE_MAX_MS, type Times } from '../support/watch.ts';

/** The longest time from the end of a fault to the first 200. */
export const RECOVERY_MAX_MS = 3_000;
const EVERY_MS = 500;
/** No response takes longer, and no recovery. */
const WAIT_MAX_MS = 2 * RESPONSE_MAX_MS;

export interface TimedResponse extends Times {
  /** The start of the request, in milliseconds since the start of the stream. */
  readonly at: number;
  readonly status: number;
}

/** @param lookUp makes a lookup */
export function startStream(lookUp: () => Promise<Times & { readonly status: number }>) {
  const startedAt = performance.now();
  const now = (): number => performance.now() - startedAt;
  const responses: TimedResponse[] = [];
  const inFlight = new Set<Promise<void>>();
  const request = async (): Promise<void> => {
    const at = now();
    const { status, ms, ranMs, isStarved } = await lookUp();
    responses.push({ at, status, ms, ranMs, isStarved });
  };
  const errors: unknown[] = [];
  const begin = (): void => {
    const work = request().catch((error: unknown) => void errors.push(error));
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
    /** @returns all responses, once the last one has arrived; rejects if a request failed or took too long */
    async stop(): Promise<readonly TimedResponse[]> {
      clearInterval(timer);
      await Promise.all(inFlight);
      if (errors.length > 0) throw errors[0];
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
  const starting = started.then(() => serveFunction({ ...google.env, GCE_METADATA_HOST: '' }));
  started = starting;
  const served = await starting;
  const lookUp = (target: string) => send(served.url, { key, target });
  return {
    google,
    served,
    lookUp,
    status: async (target: string) => (await lookUp(target)).status,
    async stop() {
      await served.stop();
      google.close();
    },
  };
}
