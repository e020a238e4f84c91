// The client, which looks up attestations by wallet, e-mail address or token.

import type { Attestation, LookupResult } from './contract.ts';
import { type Evidence, evidenceOf, type PublicKey, parsePublicKeys } from './evidence.ts';
import { exchange, type Limits, type Received } from './exchange.ts';
import { Refused, Unavailable } from './failures.ts';
import { isResult } from './result.ts';
import { parseAddress, parseKey, parseSubject, type Subject } from './settings.ts';

export { castPollVote, supports, votedIn, walletMark } from './attestations.ts';
export { type Evidence, type PublicKey, verifyEvidence } from './evidence.ts';
export { type Attestation, type LookupResult, Refused, type Subject, Unavailable };

export interface Settings {
  /** The address of the platform, such as https://PROJECT.web.app. */
  url: string | undefined;
  /** The API key of your project. */
  key: string | undefined;
  /** Milliseconds until an attempt times out; 15,000 by default. */
  timeout?: number;
  /** Milliseconds before the second attempt, doubled before each further attempt; 1,000 by default. */
  pause?: number;
}

export interface Options {
  /** Aborts the lookup, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** One of many lookups, with its result or its error. So far, `done` of `total` lookups are finished. */
export type Found<S extends Subject = Subject> = { subject: S; done: number; total: number } & (
  | { result: LookupResult; error?: never }
  | { result?: never; error: Refused | Unavailable }
);

export class Client {
  readonly #address: string;
  readonly #key: string;
  readonly #limits: Limits;

  /** @throws TypeError if the address or the key is unusable */
  constructor({ url, key, timeout = 15_000, pause = 1_000 }: Settings) {
    this.#address = parseAddress(url);
    this.#key = parseKey(key);
    this.#limits = { timeout, pause };
  }

  /** @throws Refused or Unavailable; in both cases admit nobody */
  async lookUp(subject: Subject, options: Options = {}): Promise<LookupResult> {
    return (await this.lookUpWithEvidence(subject, options)).result;
  }

  /**
   * Looks up a subject, and returns the result with evidence that proves it later.
   *
   * @returns `evidence` is undefined if the platform does not sign its responses
   * @throws Refused or Unavailable; in both cases admit nobody
   */
  async lookUpWithEvidence(
    subject: Subject,
    { signal }: Options = {},
  ): Promise<{ result: LookupResult; evidence: Evidence | undefined }> {
    const [mode, value] = parseSubject(subject);
    // Not URLSearchParams, because it encodes a space as "+", which the service reads as a plus sign.
    const encoded = encodeURIComponent(value);
    const url = `${this.#address}/pohAttestationsEndpoint?${mode}=${encoded}`;
    const accept = (body: unknown, received: Received) =>
      isResult(body) && (mode !== 'wallet' || body.wallet === value)
        ? { result: body, evidence: evidenceOf(url, received) }
        : undefined;
    const hide = hiding([this.#key, value, encoded]);
    const headers = { 'X-PoH-API-Key': this.#key };
    return await exchange({ url, headers, limits: this.#limits, signal, hide, accept });
  }

  /**
   * Looks up many subjects concurrently, and yields each outcome as soon as it is known. To stop, leave the loop.
   *
   * @throws Refused if the service refuses every lookup, for example because the key is not valid
   */
  async *lookUpMany<S extends Subject>(
    subjects: readonly S[],
    { atOnce = 16, signal }: Options & { atOnce?: number } = {},
  ): AsyncGenerator<Found<S>> {
    const stop = new AbortController();
    const signals = AbortSignal.any(signal ? [stop.signal, signal] : [stop.signal]);
    const running = new Map<number, Promise<Ended<S>>>();
    const queue = subjects.entries();
    try {
      for (let done = 1; done <= subjects.length; done++) {
        while (running.size < Math.max(1, atOnce)) {
          const next = queue.next();
          if (next.done) break;
          const [index, subject] = next.value;
          const ended = this.lookUp(subject, { signal: signals }).then(
            (result) => ({ index, subject, result }),
            (error: unknown) => ({ index, subject, error }),
          );
          running.set(index, ended);
        }
        const { index, subject, result, error } = await Promise.race(running.values());
        running.delete(index);
        const place = { subject, done, total: subjects.length };
        if (result) yield { ...place, result };
        else if (concernsOneSubject(error)) yield { ...place, error };
        else throw error;
      }
    } finally {
      stop.abort();
    }
  }

  /** Fetches the platform's current and former public keys, which verify evidence. */
  async publicKeys({ signal }: Options = {}): Promise<PublicKey[]> {
    const url = `${new URL(this.#address).origin}/.well-known/http-message-signatures-directory`;
    const hide = (text: string): string => text;
    const accept = parsePublicKeys;
    // Sent without the API key, because the public keys need none.
    return await exchange({ url, headers: {}, limits: this.#limits, signal, hide, accept });
  }
}

interface Ended<S> {
  readonly index: number;
  readonly subject: S;
  readonly result?: LookupResult;
  readonly error?: unknown;
}

const concernsOneSubject = (error: unknown): error is Refused | Unavailable =>
  error instanceof Unavailable || (error instanceof Refused && error.isAboutSubject);

const hiding = (secrets: readonly string[]) => (text: string) =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
