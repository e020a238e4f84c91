// Sends a request in up to four attempts, with pauses and a time limit.

import { Refused, refusal, Unavailable } from './failures.ts';

export interface Limits {
  /** The time limit of one attempt in milliseconds. */
  readonly timeout: number;
  /** Milliseconds before the second attempt; doubled before each further attempt. */
  readonly pause: number;
}

export interface Received {
  /** The body after decompression. */
  readonly text: string;
  readonly headers: Headers;
}

interface Exchange<T> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  /** Removes the key and the subject from a text. */
  readonly hide: (text: string) => string;
  /** @returns undefined if a 200 did not come from the service */
  readonly accept: (body: unknown, received: Received) => T | undefined;
}

const ATTEMPTS = 4;
/** Enough for 250,000 attestations. */
const BODY_MAX_BYTES = 64 * 2 ** 20;
/** If the service asks for a longer pause, the lookup fails immediately. */
const RETRY_AFTER_MAX_MS = 30_000;

/** @throws Refused, Unavailable, or the signal's reason if it is aborted */
export async function exchange<T>(request: Exchange<T>): Promise<T> {
  const { signal, limits } = request;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(request);
    if ('value' in outcome) return outcome.value;
    const { reason, retryAfter } = outcome;
    if (attempt === ATTEMPTS || retryAfter > RETRY_AFTER_MAX_MS) {
      const seconds = retryAfter > 0 ? Math.ceil(retryAfter / 1000) : undefined;
      const after = seconds === undefined ? 'later' : `in ${seconds} seconds`;
      const message = `Attempt ${attempt} of ${ATTEMPTS} failed (${reason}). Try again ${after}.`;
      throw new Unavailable(message, seconds);
    }
    const pause = limits.pause * (2 ** (attempt - 1) + Math.random());
    await wait(Math.max(pause, retryAfter), signal);
  }
}

type Outcome<T> = { value: T } | { reason: string; retryAfter: number };

async function attemptOnce<T>(request: Exchange<T>): Promise<Outcome<T>> {
  const { url, headers, limits, signal, hide, accept } = request;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(limits.timeout);
  try {
    const response = await fetch(url, {
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
    // Some runtimes report a redirect with status 0, as browsers do.
    if (status < 200 || (status >= 300 && status < 500 && status !== 429)) {
      throw refusal(status, body, hide);
    }
    const reason = status === 200 ? 'HTTP 200, not from the service' : `HTTP ${status}`;
    return { reason, retryAfter: retryAfterOf(response.headers) };
  } catch (error) {
    if (error instanceof Refused) throw error;
    signal?.throwIfAborted();
    const tooLate = `no response within ${limits.timeout / 1000} s`;
    return { reason: timeout.aborted ? tooLate : reasonOf(error), retryAfter: 0 };
  }
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
    signal?.addEventListener('abort', abort, { once: true });
  });
}
