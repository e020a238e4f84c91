// The client, which looks up attestations by wallet, e-mail address or token.

import { type Attempt, attempt, type Fetch } from './attempts.ts';
import { type Found, lookUpMany, type ManyOptions } from './many.ts';
import {
  type Options,
  parseAddress,
  parseKey,
  parseNumber,
  parseSubject,
  type Subject,
  variable,
} from './parameters.ts';
import type { LookupWithEvidence } from './response.ts';
import type { LookupResult } from './result.ts';
import type { Gate } from './waits.ts';

export { type Attempt, type Fetch, VERSION } from './attempts.ts';
export * from './errors.ts';
export type { Evidence } from './evidence.ts';
export type { Found, ManyOptions } from './many.ts';
export type { Options, Subject } from './parameters.ts';
export type { LookupWithEvidence } from './response.ts';
export { type Attestation, type Code, type LookupResult, walletMark } from './result.ts';

export interface ClientSettings {
  /** The address of the operator, such as https://PROJECT.web.app; by default that in the variable POH_URL. */
  url?: string | undefined;
  /** The API key of your project; by default that in the variable POH_KEY. */
  key?: string | undefined;
  /** Milliseconds until a lookup fails, 15,000 by default. One attempt may take all of them. */
  readonly timeout?: number;
  /** Milliseconds before the second attempt, doubled before each further attempt; 1,000 by default. */
  readonly pause?: number;
  /** Sends a request; by default the runtime's own `fetch`. */
  readonly fetch?: Fetch;
  /** Is told of each attempt when it has ended. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /**
   * Accepts an address with http:// of another machine. Everyone between the machines can read the key and the subjects,
   * so set it only in tests within one machine, such as those with containers.
   */
  readonly allowPlainHttp?: boolean;
}

const WARN_MS = 14 * 24 * 3_600_000;
/** A process warns once. */
let hasWarned = false;

export class Client {
  readonly #settings;
  #keyEnds: Date | undefined;

  /** @throws TypeError if a setting is unusable */
  constructor(settings: ClientSettings = {}) {
    const {
      url = variable('POH_URL'),
      key = variable('POH_KEY'),
      allowPlainHttp,
      onAttempt,
    } = settings;
    const { timeout = 15_000, pause = 1_000, fetch: send } = settings;
    if (send !== undefined && typeof send !== 'function')
      throw new TypeError('Set fetch to a function.');
    this.#settings = {
      url: parseAddress(url, allowPlainHttp),
      key: parseKey(key),
      timeout: parseNumber('timeout', timeout, 1),
      pause: parseNumber('pause', pause, 0),
      // Frameworks may replace `fetch` later. That of Next.js notices that a page must not be static.
      send: send ?? ((...request: Parameters<Fetch>) => fetch(...request)),
      onAttempt,
      onKeyEnds: (at: string) => this.#noteEnd(new Date(at)),
    };
  }

  /** When the key ends, as the last response said; undefined if it has no end, or before the first response. */
  get keyEnds(): Date | undefined {
    return this.#keyEnds;
  }

  /** @throws Refused or Unavailable; in both cases admit nobody */
  async lookUp(subject: Subject, options: Options = {}): Promise<LookupResult> {
    return (await this.#lookUp(subject, options)).result;
  }

  /** Returns evidence too, to prove the result later. @throws Refused or Unavailable; in both cases admit nobody */
  async lookUpWithEvidence(subject: Subject, options: Options = {}): Promise<LookupWithEvidence> {
    return await this.#lookUp(subject, options);
  }

  /**
   * Looks up many subjects concurrently, and yields each outcome as soon as it is known. To stop, leave the loop.
   *
   * @throws Refused if the service would refuse every lookup, for example because the key is not valid, and Unavailable
   *   if it asked to wait for too long, or after 50 failures in a row
   */
  lookUpMany<S extends Subject>(
    subjects: Iterable<S> | AsyncIterable<S>,
    options: ManyOptions = {},
  ): AsyncGenerator<Found<S>> {
    const { timeout } = options;
    return lookUpMany(subjects, options, (subject, signal, gate) =>
      this.#lookUp(subject, { timeout, signal }, gate),
    );
  }

  async #lookUp(subject: Subject, options: Options, gate?: Gate): Promise<LookupWithEvidence> {
    const { signal, timeout = this.#settings.timeout } = options;
    parseNumber('timeout', timeout, 1);
    const given = parseSubject(subject);
    return await attempt({ ...this.#settings, subject: given, timeout, signal, gate });
  }

  #noteEnd(at: Date): void {
    this.#keyEnds = Number.isNaN(at.getTime()) ? undefined : at;
    if (hasWarned || !(at.getTime() - Date.now() < WARN_MS)) return;
    hasWarned = true;
    console.warn(
      `The API key ends at ${at.toISOString()}. Ask an admin of the service to rotate it.`,
    );
  }
}
