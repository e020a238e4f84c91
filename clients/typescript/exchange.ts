// Sends a request in up to four attempts, with pauses and a time limit. The messages of its failures
// contain neither the key nor the subject.

import type { Code } from './result.ts';

/** The service refused the request, and a retry would not help. Branch on `code`. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** The HTTP status; 0 if nothing was sent because the subject is empty, or if the runtime hides a redirect's status. */
  readonly status: number;
  /** A code of the contract; `not_the_service` if the response did not come from the service. */
  readonly code: Code;
  /** Quote it when you ask for help; empty if the response has none. */
  readonly requestId: string;

  constructor(status: number, code: string, requestId: string, message: string) {
    super(message);
    this.status = status;
    this.code = code as Code;
    this.requestId = requestId;
  }

  /** Whether the same client may succeed with another subject. */
  get isAboutSubject(): boolean {
    const isOurs = this.code !== 'not_the_service' && this.code !== 'not_found';
    return isOurs && [0, 400, 404].includes(this.status);
  }
}

/** No attempt succeeded. Admit nobody, and try again later. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** The HTTP status of the last attempt; 0 if it got no complete response. */
  readonly status: number;
  /** The code of the last response, such as `internal`; empty if it has none. */
  readonly code: Code | '';
  /** The id of the last response. Quote it when you ask for help; empty if the response has none. */
  readonly requestId: string;
  /** The seconds that the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;

  constructor(message: string, status = 0, code = '', requestId = '', retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code as Code | '';
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

export interface Settings {
  /** Milliseconds until an attempt times out; 15,000 by default. */
  readonly timeout: number;
  /** Milliseconds before the second attempt, doubled before each further attempt; 1,000 by default. */
  readonly pause: number;
  /** Sends a request; by default the runtime's own `fetch`. */
  readonly fetch: typeof fetch;
}

/** The earliest time of the next request, by `performance.now()`. The lookups of one call share it. */
export interface Gate {
  opensAt: number;
}

export interface Received {
  /** The body after decompression. */
  readonly text: string;
  readonly headers: Headers;
}

interface Exchange<T> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly gate: Gate;
  readonly signal: AbortSignal | undefined;
  /** The key and the subject, which no message may contain. */
  readonly secrets: readonly string[];
  /** @returns undefined if a 200 did not come from the service */
  readonly accept: (body: unknown, received: Received) => T | undefined;
}

const ATTEMPTS = 4;
/** Enough for 250,000 attestations. */
const BODY_MAX_BYTES = 64 * 2 ** 20;
/** If the service asks for a longer pause, the lookup fails immediately. */
const RETRY_AFTER_MAX_MS = 30_000;
const TEXT_MAX = 300;

/** @throws Refused, Unavailable, or the signal's reason if it is aborted */
export async function exchange<T>(request: Exchange<T>): Promise<T> {
  const { signal, settings, gate } = request;
  for (let attempt = 1; ; attempt++) {
    // Another lookup may move the gate meanwhile.
    while (gate.opensAt > performance.now()) await wait(gate.opensAt - performance.now(), signal);
    const outcome = await attemptOnce(request);
    if ('value' in outcome) return outcome.value;
    const { reason, status, code, requestId, retryAfter } = outcome;
    gate.opensAt = Math.max(gate.opensAt, performance.now() + retryAfter);
    if (attempt === ATTEMPTS || retryAfter > RETRY_AFTER_MAX_MS) {
      const seconds = retryAfter > 0 ? Math.ceil(retryAfter / 1000) : undefined;
      const after = seconds === undefined ? 'later' : `in ${seconds} seconds`;
      const message = `Attempt ${attempt} of ${ATTEMPTS} failed (${reason}). Try again ${after}.`;
      throw new Unavailable(message, status, code, requestId, seconds);
    }
    await wait(settings.pause * (2 ** (attempt - 1) + Math.random()), signal);
  }
}

interface Failure {
  readonly reason: string;
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  /** Milliseconds. */
  readonly retryAfter: number;
}

async function attemptOnce<T>(request: Exchange<T>): Promise<{ value: T } | Failure> {
  const { url, headers, signal, secrets, accept } = request;
  const { timeout: timeoutMs, fetch: send } = request.settings;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, {
      headers,
      // Redirects are not followed, because they would send the key and the subject to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status } = response;
    const text = await readText(response);
    const body = parseJson(text);
    const value = status === 200 ? accept(body, { text, headers: response.headers }) : undefined;
    if (value !== undefined) return { value };
    const said = readError(body, response.headers, secrets);
    // Some runtimes report a redirect with status 0, as browsers do.
    if (status < 200 || (status >= 300 && status < 500 && status !== 429)) {
      throw refusal(status, said);
    }
    const { code, requestId } = said;
    const named = [`HTTP ${status}`, code].join(' ').trim();
    const shown = requestId ? `${named}, request ${requestId}` : named;
    const reason = status === 200 ? 'HTTP 200, not from the service' : shown;
    return { reason, status, code, requestId, retryAfter: retryAfterOf(response.headers) };
  } catch (error) {
    if (error instanceof Refused) throw error;
    signal?.throwIfAborted();
    const tooLate = `no response within ${timeoutMs / 1000} s`;
    const reason = timeout.aborted ? tooLate : reasonOf(error);
    return { reason, status: 0, code: '', requestId: '', retryAfter: 0 };
  }
}

/** What a response says about an error. Members that it does not have are empty. */
interface Said {
  readonly error: string;
  readonly code: string;
  readonly requestId: string;
}

function readError(body: unknown, headers: Headers, secrets: readonly string[]): Said {
  // Remove secrets and control characters, since the text may come from another server.
  const clean = (text: unknown): string =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '…'), typeof text === 'string' ? text : '')
      .replaceAll(/[^\P{C}]/gu, ' ')
      .slice(0, TEXT_MAX);
  const { error, code, requestId } = (body ?? {}) as Record<string, unknown>;
  const id = clean(requestId) || clean(headers.get('X-Request-Id'));
  const isOurs = typeof error === 'string' && typeof code === 'string';
  return isOurs
    ? { error: clean(error), code: clean(code), requestId: id }
    : { error: '', code: '', requestId: id };
}

function refusal(status: number, { error, code, requestId }: Said): Refused {
  const isRedirect = status < 400;
  if (!isRedirect && code !== '') {
    const message = `${status} ${code}: ${error} (request ${requestId || 'unknown'})`;
    return new Refused(status, code, requestId, message);
  }
  const what = isRedirect ? 'a redirect, which is not followed' : 'not from the service';
  const message = `HTTP ${status}, ${what}. Check the address of the service.`;
  return new Refused(status, 'not_the_service', requestId, message);
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let bytes = 0;
  let text = '';
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > BODY_MAX_BYTES) {
      await reader?.cancel();
      throw Object.assign(new Error(), { code: 'a response of more than 64 MiB' });
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the milliseconds to wait; 0 if the response has no Retry-After */
function retryAfterOf(headers: Headers): number {
  const value = headers.get('Retry-After') ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : 0;
}

/** A failure's code, such as "ECONNREFUSED", because its message may contain the URL. Deno has no codes. */
function reasonOf(error: unknown): string {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown };
  const found = [cause?.code, code].find((value) => typeof value === 'string');
  return String(found ?? 'the connection failed');
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
