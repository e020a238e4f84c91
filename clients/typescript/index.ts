// The client, which looks up attestations by wallet, e-mail address or token.

import {
  attempt,
  type Gate,
  type Looked,
  Refused,
  type Settings,
  Unavailable,
} from './attempts.ts';
import { parseAddress, parseKey, parseSubject, type Subject } from './parameters.ts';
import type { LookupResult } from './result.ts';

export { PohError, Refused, Unavailable } from './attempts.ts';
export type { Evidence } from './evidence.ts';
export type { Subject } from './parameters.ts';
export { type Attestation, type Code, type LookupResult, walletMark } from './result.ts';

/** The version of this client. */
export const VERSION = '1.0.0';

export interface ClientSettings extends Partial<Settings> {
  /** The address of the platform, such as https://PROJECT.web.app. */
  url: string | undefined;
  /** The API key of your project. */
  key: string | undefined;
}

export interface Options {
  /** Aborts the lookup, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Replaces the client's own. */
  timeout?: number | undefined;
}

type Outcome =
  | { result: LookupResult; error?: never }
  | { result?: never; error: Refused | Unavailable };

/** One of many lookups, with its result or its error. So far, `done` of `total` lookups are finished. */
export type Found<S extends Subject = Subject> = {
  subject: S;
  done: number;
  total: number;
} & Outcome;

type Ended<S> = { stop: AbortController; subject: S } & Outcome;

export class Client {
  readonly #address: string;
  readonly #key: string;
  readonly #settings: Settings;

  /** @throws TypeError if the address or the key is unusable */
  constructor({ url, key, timeout = 10_000, pause = 1_000, fetch: send }: ClientSettings) {
    this.#address = parseAddress(url);
    this.#key = parseKey(key);
    // Frameworks may replace `fetch` later. That of Next.js notices that a page must not be static.
    this.#settings = { timeout, pause, fetch: send ?? ((...request) => fetch(...request)) };
  }

  /** @throws Refused or Unavailable; in both cases admit nobody */
  async lookUp(subject: Subject, options: Options = {}): Promise<LookupResult> {
    return (await this.#lookUp(subject, options)).result;
  }

  /** Returns evidence too, to prove the result later. @throws Refused or Unavailable; in both cases admit nobody */
  async lookUpWithEvidence(subject: Subject, options: Options = {}): Promise<Looked> {
    return await this.#lookUp(subject, options);
  }

  /**
   * Looks up many subjects concurrently, and yields each outcome as soon as it is known. To stop, leave the loop.
   *
   * @throws Refused if the service refuses every lookup, for example because the key is not valid
   */
  async *lookUpMany<S extends Subject>(
    subjects: Iterable<S>,
    { atOnce = 16, signal }: Omit<Options, 'timeout'> & { atOnce?: number | undefined } = {},
  ): AsyncGenerator<Found<S>> {
    const all = [...subjects];
    const queue = all.values();
    const gate = { opensAt: 0 };
    // Each lookup has its own signal, because Node 20 warns about many listeners on one.
    const running = new Map<AbortController, Promise<Ended<S>>>();
    const stopAll = (): void => {
      for (const stop of running.keys()) stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', stopAll);
    try {
      for (let done = 1; done <= all.length; done++) {
        signal?.throwIfAborted();
        for (const subject of queue) {
          const stop = new AbortController();
          running.set(stop, this.#outcome(subject, stop, gate));
          if (!(running.size < atOnce)) break;
        }
        const { stop, ...outcome } = await Promise.race(running.values());
        running.delete(stop);
        yield { ...outcome, done, total: all.length };
      }
    } finally {
      signal?.removeEventListener('abort', stopAll);
      stopAll();
    }
  }

  /** @throws Refused if the service would refuse the others too */
  async #outcome<S extends Subject>(subject: S, stop: AbortController, gate: Gate) {
    try {
      const { result } = await this.#lookUp(subject, stop, gate);
      return { stop, subject, result };
    } catch (error) {
      if (error instanceof Unavailable || (error instanceof Refused && error.isAboutSubject))
        return { stop, subject, error };
      throw error;
    }
  }

  async #lookUp(subject: Subject, { signal, timeout }: Options, gate?: Gate): Promise<Looked> {
    const [mode, value] = parseSubject(subject);
    // Not URLSearchParams, because it encodes a space as "+", which the service reads as a plus sign.
    const encoded = encodeURIComponent(value);
    return await attempt({
      ...this.#settings,
      ...(timeout !== undefined && { timeout }),
      url: `${this.#address}/pohAttestationsEndpoint?${mode}=${encoded}`,
      headers: {
        'User-Agent': `poh-attestations-typescript/${VERSION}`,
        'X-PoH-API-Key': this.#key,
      },
      wallet: mode === 'wallet' ? value : undefined,
      secrets: [this.#key, value, encoded],
      signal,
      gate,
    });
  }
}
