// The client, which looks up attestations by wallet, e-mail address or token.

import {
  exchange,
  type Gate,
  PohError,
  type Received,
  Refused,
  type Settings,
  Unavailable,
} from './attempts.ts';
import type { Evidence, PublicKey } from './evidence.ts';
import { isResult, type LookupResult, trimmed } from './result.ts';

export type { Evidence, PublicKey } from './evidence.ts';
export {
  type Attestation,
  type Code,
  type LookupResult,
  supports,
  votedIn,
  walletMark,
} from './result.ts';
export { PohError, Refused, Unavailable };

/** The version of this client. */
export const VERSION = '1.0.0';

export interface ClientSettings extends Partial<Settings> {
  /** The address of the platform, such as https://PROJECT.web.app. */
  url: string | undefined;
  /** The API key of your project. */
  key: string | undefined;
}

/** The person to look up. Exactly one of the three is set. */
export type Subject =
  | { wallet: string | undefined; email?: undefined; token?: undefined }
  | { wallet?: undefined; email: string | undefined; token?: undefined }
  | { wallet?: undefined; email?: undefined; token: string | undefined };

export interface Options {
  /** Aborts the lookup, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Replaces the client's own. */
  timeout?: number | undefined;
}

/** One of many lookups, with its result or its error. So far, `done` of `total` lookups are finished. */
export type Found<S extends Subject = Subject> = { subject: S; done: number; total: number } & (
  | { result: LookupResult; error?: never }
  | { result?: never; error: Refused | Unavailable }
);

interface Looked {
  result: LookupResult;
  /** Undefined if the platform does not sign its responses. */
  evidence: Evidence | undefined;
}

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
    return (await this.lookUpWithEvidence(subject, options)).result;
  }

  /**
   * Looks up a subject, and returns the result with evidence that proves it later.
   *
   * @throws Refused or Unavailable; in both cases admit nobody
   */
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
    { atOnce = 16, signal, timeout }: Options & { atOnce?: number } = {},
  ): AsyncGenerator<Found<S>> {
    const all = [...subjects];
    const gate = { opensAt: 0 };
    // Each lookup has its own signal, because Node warns about many listeners on one.
    const running = new Map<number, { stop: AbortController; ended: Promise<Ended<S>> }>();
    const stopAll = (): void => {
      for (const { stop } of running.values()) stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', stopAll);
    const queue = all.entries();
    try {
      for (let done = 1; done <= all.length; done++) {
        signal?.throwIfAborted();
        while (running.size < Math.max(1, atOnce)) {
          const next = queue.next();
          if (next.done) break;
          const [index, subject] = next.value;
          const stop = new AbortController();
          const ended = this.#lookUp(subject, { signal: stop.signal, timeout }, gate).then(
            ({ result }) => ({ index, subject, result }),
            (error: unknown) => ({ index, subject, error }),
          );
          running.set(index, { stop, ended });
        }
        const { index, subject, result, error } = await Promise.race(
          [...running.values()].map(({ ended }) => ended),
        );
        running.delete(index);
        signal?.throwIfAborted();
        const place = { subject, done, total: all.length };
        if (result) yield { ...place, result };
        else if (concernsOneSubject(error)) yield { ...place, error };
        else throw error;
      }
    } finally {
      signal?.removeEventListener('abort', stopAll);
      stopAll();
    }
  }

  /** Fetches the platform's current and former public keys, which verify evidence. */
  async publicKeys(options: Options = {}): Promise<PublicKey[]> {
    const url = `${new URL(this.#address).origin}/.well-known/http-message-signatures-directory`;
    return await exchange({
      url,
      // Sent without the API key, because the public keys need none.
      headers: USER_AGENT,
      ...this.#with(options),
      secrets: [],
      accept: (body) => {
        const { keys } = (body ?? {}) as { keys?: unknown };
        const isKey = (key: unknown): key is PublicKey => typeof key === 'object' && key !== null;
        return Array.isArray(keys) ? keys.filter(isKey) : undefined;
      },
    });
  }

  #with({ signal, timeout = this.#settings.timeout }: Options) {
    // A timer with a longer delay would end at once.
    if (!(timeout > 0 && timeout < 2 ** 31))
      throw new TypeError('The timeout must be a number of milliseconds below 2,147,483,648.');
    return { settings: { ...this.#settings, timeout }, signal };
  }

  async #lookUp(subject: Subject, options: Options, gate?: Gate): Promise<Looked> {
    const [mode, value] = parseSubject(subject);
    // Not URLSearchParams, because it encodes a space as "+", which the service reads as a plus sign.
    const encoded = encodeURIComponent(value);
    const url = `${this.#address}/pohAttestationsEndpoint?${mode}=${encoded}`;
    return await exchange({
      url,
      headers: { ...USER_AGENT, 'X-PoH-API-Key': this.#key },
      ...this.#with(options),
      gate,
      secrets: [this.#key, value, encoded],
      accept: (body, received) => {
        if (!isResult(body) || body.wallet !== (mode === 'wallet' ? value : undefined))
          return undefined;
        const requestId = received.headers.get('X-Request-Id') ?? '';
        return { result: { ...body, requestId }, evidence: evidenceOf(url, received) };
      },
    });
  }
}

const USER_AGENT = { 'User-Agent': `poh-attestations-typescript/${VERSION}` };

interface Ended<S> {
  readonly index: number;
  readonly subject: S;
  readonly result?: LookupResult;
  readonly error?: unknown;
}

const concernsOneSubject = (error: unknown): error is Refused | Unavailable =>
  error instanceof Unavailable || (error instanceof Refused && error.isAboutSubject);

function evidenceOf(url: string, { text, headers }: Received): Evidence | undefined {
  const field = (name: string): string => headers.get(name) ?? '';
  const signature = field('Signature');
  if (!signature) return undefined;
  const [requestId, signatureInput] = [field('X-Request-Id'), field('Signature-Input')];
  return { url, body: text, requestId, signatureInput, signature };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @returns the address without a trailing slash @throws TypeError that does not contain the address */
function parseAddress(text: string | undefined): string {
  const address = trimmed(text);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url && isSafe && !(url.username || url.password || url.search || url.hash))
    return url.href.replace(/\/+$/, '');
  throw new TypeError(
    'Set the address of the service to https://…, without a user name, "?" and "#". ' +
      'Only for this machine (127.0.0.1, localhost) it may be http://, because others could read the key.',
  );
}

/** @throws TypeError that does not contain the key */
function parseKey(text: string | undefined): string {
  const key = trimmed(text);
  if (/^[ -~]+$/.test(key)) return key;
  throw new TypeError(
    'The API key is missing, or contains a character that keys do not have. Copy it again.',
  );
}

/** @returns the subject's mode and its non-empty value */
function parseSubject(subject: Subject): readonly [mode: string, value: string] {
  const given = (['wallet', 'email', 'token'] as const)
    .map((mode) => [mode, trimmed(Object(subject)[mode]).toWellFormed()] as const)
    .filter(([, value]) => value !== '');
  const [only, ...others] = given;
  if (others.length > 0) throw new TypeError('Look up only one of wallet, email and token.');
  if (only) return only;
  const message = 'The wallet, e-mail address or token is missing.';
  throw new Refused(message, { code: 'missing_subject' });
}
