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
    return TOO_LONG.includes(this.status) || (isOurs && [0, 400, 404].includes(this.status));
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
/** Google Cloud sends at most 32 MB. */
const BODY_MAX_BYTES = 64 * 2 ** 20;
/** If the service asks for a longer pause, the lookup fails immediately. */
const RETRY_AFTER_MAX_SECONDS = 30;
/** The longest delay of `setTimeout`, which runs at once after a longer one. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const TEXT_MAX = 300;
/** The statuses with which servers on the way refuse a long URL. */
const TOO_LONG = [414, 431];

/** @throws Refused, Unavailable, or the signal's reason if it is aborted */
export async function exchange<T>(request: Exchange<T>): Promise<T> {
  const { signal, settings, gate } = request;
  for (let attempt = 1; ; attempt++) {
    // Another lookup may move the gate meanwhile.
    while (gate.opensAt > performance.now()) {
      await wait(Math.min(gate.opensAt - performance.now(), TIMER_MAX_MS), signal);
    }
    const outcome = await attemptOnce(request);
    if (!(outcome instanceof Unavailable)) return outcome;
    const { message, status, code, requestId, retryAfter = 0 } = outcome;
    gate.opensAt = Math.max(gate.opensAt, performance.now() + retryAfter * 1000);
    if (attempt === ATTEMPTS || retryAfter > RETRY_AFTER_MAX_SECONDS) {
      const after = retryAfter ? `in ${retryAfter} s` : 'later';
      const text = `Attempt ${attempt} of ${ATTEMPTS} failed (${message}). Try again ${after}.`;
      throw new Unavailable(text, status, code, requestId, outcome.retryAfter);
    }
    await wait(settings.pause * (2 ** (attempt - 1) + Math.random()), signal);
  }
}

/** @returns Unavailable if a retry may help @throws Refused, or the signal's reason */
async function attemptOnce<T>(request: Exchange<T>): Promise<T | Unavailable> {
  const { url, headers, signal, secrets, accept } = request;
  const { timeout: timeoutMs, fetch: send } = request.settings;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    const response = await send(url, {
      headers,
      // Redirects are not followed, because they would send the key and the subject to another server.
      redirect: 'manual',
      signal: either,
    });
    const text = await readText(response);
    const body = parseJson(text);
    const received = { text, headers: response.headers };
    const value = response.status === 200 ? accept(body, received) : undefined;
    return value ?? failureOf(response, body, secrets);
  } catch (error) {
    if (error instanceof Refused) throw error;
    signal?.throwIfAborted();
    const tooLate = `no response within ${timeoutMs / 1000} s`;
    return new Unavailable(timeout.aborted ? tooLate : reasonOf(error));
  }
}

/** Describes a response that is not a result. @throws Refused if a retry would not help */
function failureOf(
  { status, headers }: Response,
  body: unknown,
  secrets: readonly string[],
): Unavailable {
  // Remove secrets and control characters, since the text may come from another server.
  const clean = (text: unknown): string =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '…'), typeof text === 'string' ? text : '')
      .replaceAll(/[^\P{C}]/gu, ' ')
      .slice(0, TEXT_MAX);
  const said = (body ?? {}) as Record<string, unknown>;
  const isOurs = typeof said['error'] === 'string' && typeof said['code'] === 'string';
  const given = isOurs ? String(said['code']) : '';
  // A code of the service is kept, because a subject may be as short as "t".
  const code = /^[a-z_]+$/.test(given) && !secrets.includes(given) ? given : clean(given);
  const id = clean(said['requestId']) || clean(headers.get('X-Request-Id'));
  // Some runtimes report a redirect with status 0, as browsers do.
  const isRedirect = status < 200 || (status >= 300 && status < 400);
  if (TOO_LONG.includes(status)) {
    const message = `HTTP ${status}, the subject is too long. Check it.`;
    throw new Refused(status, 'not_the_service', id, message);
  }
  if (isRedirect || (status >= 400 && status < 500 && status !== 429 && code === '')) {
    const what = isRedirect ? 'a redirect, which is not followed' : 'not from the service';
    const message = `HTTP ${status}, ${what}. Check the address of the service.`;
    throw new Refused(status, 'not_the_service', id, message);
  }
  if (status >= 400 && status < 500 && status !== 429) {
    const message = `${status} ${code}: ${clean(said['error'])} (request ${id || 'unknown'})`;
    throw new Refused(status, code, id, message);
  }
  const reason = `HTTP ${status} ${code}`.trim() + (id && `, request ${id}`);
  const shown = status === 200 ? 'HTTP 200, not from the service' : reason;
  return new Unavailable(shown, status, code, id, retryAfterOf(headers));
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

/** @returns the seconds to wait; undefined if the response has no Retry-After */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('Retry-After') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : undefined;
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
