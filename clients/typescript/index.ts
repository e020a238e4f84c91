// The client, which looks up attestations by wallet, e-mail address or token. Sends each request in up to four attempts
// before a deadline. The messages of its failures contain neither the key nor the subject.

import type { Evidence } from './evidence.ts';
import { parseAddress, parseKey, parseSubject, type Subject } from './parameters.ts';
import { type Code, isResult, type LookupResult, type ResultBody } from './result.ts';

export type { Evidence } from './evidence.ts';
export type { Subject } from './parameters.ts';
export { type Attestation, type Code, type LookupResult, walletMark } from './result.ts';

/** The version of this client. */
export const VERSION = '1.0.0';

/** A lookup has no result, so admit nobody. */
export class PohError extends Error {
  /** The HTTP status of the last response; 0 if there was none. */
  readonly status: number = 0;
  /** Its code; empty if it has none. */
  readonly code: Code | '' = '';
  /** Its id, to quote when you ask for help; empty if it has none. */
  readonly requestId: string = '';
  /** The seconds that the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { cause, ...details }: Partial<PohError> = {}) {
    super(message, cause === undefined ? {} : { cause });
    Object.assign(this, details);
  }
}

/**
 * The service refused the lookup, and a retry would not help. Branch on `code`. It is `missing_subject` if nothing was
 * sent because the subject is empty, and `not_the_service` if another server responded.
 */
export class Refused extends PohError {
  override readonly name = 'Refused';

  /** Whether the same client may succeed with another subject. */
  get isAboutSubject(): boolean {
    if (['not_found', 'not_the_service'].includes(this.code)) return TOO_LONG.includes(this.status);
    return ![401, 403, 405].includes(this.status);
  }
}

/** No attempt succeeded in time. Try again later. */
export class Unavailable extends PohError {
  override readonly name = 'Unavailable';
}

export interface ClientSettings {
  /** The address of the platform, such as https://PROJECT.web.app. */
  url: string | undefined;
  /** The API key of your project. */
  key: string | undefined;
  /** Milliseconds until a lookup fails, 10,000 by default. An attempt gets at most half of them. */
  readonly timeout?: number;
  /** Milliseconds before the second attempt, doubled before each further attempt; 1,000 by default. */
  readonly pause?: number;
  /** Sends a request; by default the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
}

type Settings = Required<ClientSettings> & Record<'url' | 'key', string>;

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

/** The earliest time of the next request, by `performance.now()`. The lookups of one call share it. */
type Gate = { opensAt: number };

interface Looked {
  result: LookupResult;
  /** Undefined if the platform does not sign its responses. */
  evidence: Evidence | undefined;
}

export class Client {
  readonly #settings: Settings;

  /** @throws TypeError if the address or the key is unusable */
  constructor({ url, key, timeout = 10_000, pause = 1_000, fetch: send }: ClientSettings) {
    this.#settings = {
      url: parseAddress(url),
      key: parseKey(key),
      timeout,
      pause,
      // Frameworks may replace `fetch` later. That of Next.js notices that a page must not be static.
      fetch: send ?? ((...request) => fetch(...request)),
    };
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

  async #lookUp(subject: Subject, options: Options, gate?: Gate): Promise<Looked> {
    const given = parseSubject(subject);
    const message = 'The wallet, e-mail address or token is missing.';
    if (!given) throw new Refused(message, { code: 'missing_subject' });
    const { signal, timeout = this.#settings.timeout } = options;
    return await attempt({ ...this.#settings, subject: given, timeout, signal, gate });
  }
}

interface Lookup extends Settings {
  readonly subject: readonly [mode: string, value: string];
  /** Shared by many lookups, which wait as long as the service asks. So only their attempts have a limit. */
  readonly gate: Gate | undefined;
  readonly signal: AbortSignal | undefined;
}

const ATTEMPTS = 4;
/** Google Cloud sends at most 32 MB. */
const BODY_MAX_BYTES = 64 * 2 ** 20;
/** If the service asks for a longer pause, lookups fail immediately. */
const RETRY_AFTER_MAX_MS = 30_000;
/** The statuses with which servers on the way refuse a long URL. */
const TOO_LONG = [414, 431];
/** The statuses below 500 that another attempt may not get. */
const TEMPORARY = [408, 425, 429];

/** @throws Refused, Unavailable, the signal's reason if it is aborted, or what `fetch` throws without sending */
async function attempt(lookup: Lookup): Promise<Looked> {
  const { gate = { opensAt: 0 }, signal, timeout } = lookup;
  const endsAt = lookup.gate ? Number.POSITIVE_INFINITY : performance.now() + timeout;
  let attempts = 0;
  let pause = 0;
  let last = new Unavailable('the service asked another lookup to wait');
  for (; attempts < ATTEMPTS; attempts++) {
    const left = await waitFor(gate, pause, endsAt, signal);
    if (left <= 0) break;
    const outcome = await attemptOnce(lookup, Math.min(timeout / 2, left));
    if (!(outcome instanceof Unavailable)) return outcome;
    last = outcome;
    gate.opensAt = Math.max(gate.opensAt, performance.now() + (last.retryAfter ?? 0) * 1000);
    pause = lookup.pause * (2 ** attempts + Math.random());
  }
  const after = last.retryAfter ? `in ${last.retryAfter} s` : 'later';
  const text = `Attempt ${attempts} of ${ATTEMPTS} failed (${last.message}). Try again ${after}.`;
  throw new Unavailable(text, last);
}

/** Waits for a pause, and until the gate opens. @returns the time that is left, or 0 immediately if it is too short */
async function waitFor(
  gate: Gate,
  pauseMs: number,
  endsAt: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const startsAt = performance.now() + pauseMs;
  for (;;) {
    // Another lookup may move the gate meanwhile.
    const at = Math.max(startsAt, gate.opensAt);
    const now = performance.now();
    if (at <= now) return endsAt - now;
    if (at >= endsAt || gate.opensAt - now > RETRY_AFTER_MAX_MS) return 0;
    await within(at - now, signal, abortOf);
  }
}

const abortOf = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve));

/** Runs work with a signal, which is aborted after a time or by the caller. @throws the reason of the caller's signal */
async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // Not AbortSignal.any, because Node 20 keeps each result of it for as long as the caller's signal.
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal?.addEventListener('abort', abort);
  // A timer with a longer delay would end immediately.
  const timer = setTimeout(abort, Math.min(ms, 2 ** 31 - 1));
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
  }
}

/** Keeps responses out of caches, such as that of Next.js 14, which ignores what they say. */
const noStore: { cache?: 'no-store' } = {};
try {
  new Request('https://poh.invalid', { cache: 'no-store' });
  noStore.cache = 'no-store';
} catch {
  // Older versions of workerd throw for this setting.
}

/** @returns Unavailable if a retry may help @throws Refused, the signal's reason, or an error that is not of the network */
const attemptOnce = (lookup: Lookup, limitMs: number): Promise<Looked | Unavailable> =>
  within(limitMs, lookup.signal, async (stop) => {
    const { key, fetch: send } = lookup;
    const [mode, value] = lookup.subject;
    // Not URLSearchParams, because it encodes a space as "+", which the service reads as a plus sign.
    const encoded = encodeURIComponent(value);
    const url = `${lookup.url}/pohAttestationsEndpoint?${mode}=${encoded}`;
    const agent = `poh-attestations-typescript/${VERSION}`;
    const headers = { 'User-Agent': agent, 'X-PoH-API-Key': key };
    const secrets = [key, value, encoded];
    let response: Response | undefined;
    let text: string;
    try {
      // Redirects are not followed, because they would send the key and the subject to another server.
      response = await send(url, { headers, redirect: 'manual', signal: stop, ...noStore });
      text = await readText(response);
    } catch (error) {
      if (stop.aborted) return new Unavailable(`no response within ${limitMs / 1000} s`);
      if (!response && !isOfNetwork(error)) throw error;
      return unavailable(error, secrets);
    }
    const body: unknown = await Promise.resolve(text)
      .then(JSON.parse)
      .catch(() => undefined);
    const wallet = mode === 'wallet' ? value : undefined;
    if (response.status === 200 && isResult(body) && body.wallet === wallet)
      return lookedUp(url, text, body, response.headers);
    return failureOf(response, body, secrets);
  });

function lookedUp(url: string, text: string, body: ResultBody, headers: Headers): Looked {
  const field = (name: string): string => headers.get(name) ?? '';
  const [requestId, signature] = [field('X-Request-Id'), field('Signature')];
  const signatureInput = field('Signature-Input');
  const evidence = { url, body: text, requestId, signatureInput, signature };
  return { result: { ...body, requestId }, evidence: signature ? evidence : undefined };
}

/**
 * Whether a request failed on its way. `fetch` then rejects with a TypeError, but Bun has time limits of its own, and
 * workerd has its own errors. Others are not retried. For example, Next.js throws one to make a page dynamic.
 */
const isOfNetwork = (error: unknown): boolean => {
  const { name, retryable } = Object(error);
  return name === 'TypeError' || name === 'TimeoutError' || retryable === true;
};

/** Describes an error, which may contain the URL. The cause is a copy without secrets and control characters. */
function unavailable(error: unknown, secrets: readonly string[]): Unavailable {
  const { name, message, code } = Object(Object(error).cause ?? error);
  const text = secrets
    .reduce((rest, each) => rest.replaceAll(each, '…'), textOf(message) || 'the connection failed')
    .replaceAll(/[^\P{C}]/gu, ' ');
  const cause = Object.assign(new Error(text), { name, code });
  return new Unavailable(textOf(code) || text, { cause });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Describes a response that is not a result, in no words of another server. @throws Refused if a retry would not help */
function failureOf(
  { status, headers }: Response,
  body: unknown,
  secrets: readonly string[],
): Unavailable {
  // Only a plain word, because another server may repeat the key or the subject in any text.
  const wordOf = (value: unknown): string => {
    const [word = ''] = /^[\w-]{1,64}$/.exec(textOf(value)) ?? [];
    return secrets.some((each) => each.length > 7 && word.includes(each)) ? '' : word;
  };
  const said = Object(body);
  const code = typeof said.error === 'string' ? wordOf(said.code) : '';
  const requestId = wordOf(said.requestId) || wordOf(headers.get('X-Request-Id'));
  const reason = `HTTP ${status} ${code}`.trim() + (requestId && `, request ${requestId}`);
  const details = { status, code, requestId };
  if (status >= 300 && status < 500 && !TEMPORARY.includes(status)) {
    if (status >= 400 && code !== '') throw new Refused(reason, details);
    const what = status < 400 ? 'a redirect, which is not followed' : 'not from the service';
    const advice = TOO_LONG.includes(status)
      ? 'the subject is too long. Check it.'
      : `${what}. Check the address of the service.`;
    throw new Refused(`${reason}, ${advice}`, { ...details, code: 'not_the_service' });
  }
  const asked = /^\d{1,12}$/.exec(headers.get('Retry-After') ?? '');
  const retryAfter = Number(asked?.[0]) || undefined;
  const shown = status === 200 ? 'HTTP 200, not from the service' : reason;
  return new Unavailable(shown, { ...details, retryAfter });
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let bytes = 0;
  let text = '';
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > BODY_MAX_BYTES) throw new Error('a response of more than 64 MiB');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
