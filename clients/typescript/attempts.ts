// Sends the request of one lookup in up to four attempts before a deadline.

import { ConnectionFailed, type Details } from './errors.ts';
import {
  connectionFailure,
  type Failure,
  fieldOf,
  type HttpResponse,
  type LookupWithEvidence,
  parseResponse,
  readText,
  redact,
} from './response.ts';
import { abortOf, type Gate, within } from './waits.ts';

/** The version of this client. */
export const VERSION = '1.0.0';

/** Sends a request, as the runtimes' own `fetch` does, and those of undici and node-fetch. */
export type Fetch = (
  url: string,
  init: {
    headers: Record<string, string>;
    redirect: 'manual';
    signal: AbortSignal;
    cache?: 'no-store';
  },
) => Promise<HttpResponse>;

/** What is known of an attempt when it has ended. It contains no secret. */
export interface Attempt {
  /** 1 for the first of a lookup. After a wait for which the service asked, it is the same one. */
  readonly attempt: number;
  /** How long it took. */
  readonly ms: number;
  /** The HTTP status of its response; 0 if there was none. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
}

/** One lookup. Its times are in milliseconds. */
export interface Lookup {
  readonly url: string;
  readonly key: string;
  readonly subject: readonly [mode: string, value: string];
  readonly timeout: number;
  readonly pause: number;
  readonly send: Fetch;
  readonly onAttempt: ((attempt: Attempt) => void) | undefined;
  readonly onKeyEnds: (at: string) => void;
  /** Shared by many lookups, which wait as long as the service asks. These waits are no attempts and have no deadline. */
  readonly gate: Gate | undefined;
  readonly signal: AbortSignal | undefined;
}

const ATTEMPTS = 4;

/** @throws Refused, Unavailable, the signal's reason if it is aborted, or what a framework throws to control itself */
export async function attempt(lookup: Lookup): Promise<LookupWithEvidence> {
  const { gate, signal } = lookup;
  // The time that is left, without the waits at the gate.
  let left = lookup.timeout;
  for (let attempts = 1; ; ) {
    let startedAt = 0;
    const send = () => {
      startedAt = performance.now();
      return attemptOnce(lookup, left);
    };
    const outcome = await (gate ? gate.pass(signal, send) : send());
    const isFailure = 'reason' in outcome;
    const details: Details = isFailure ? outcome : { status: 200, ...outcome.result };
    const { status = 0, code = '', requestId = '' } = details;
    const ms = performance.now() - startedAt;
    lookup.onAttempt?.({ attempt: attempts, ms, status, code, requestId });
    if (!isFailure) return outcome;
    const { reason, retryAfter = 0 } = outcome;
    if (outcome.isFinal) throw new outcome.type(reason, outcome);
    const isAsked = gate !== undefined && retryAfter > 0;
    if (isAsked && gate.isWorthWaiting) continue;
    const pause = Math.max(lookup.pause * (2 ** (attempts - 1) + Math.random()), retryAfter * 1000);
    const mayTry = !isAsked && attempts < ATTEMPTS && performance.now() - startedAt + pause < left;
    if (mayTry) await within(pause, signal, abortOf);
    // Less than expected if the program was busy.
    left -= performance.now() - startedAt;
    if (!mayTry || left <= 0) {
      const after = retryAfter ? `in ${retryAfter} s` : 'later';
      const text = `Attempt ${attempts} of ${ATTEMPTS} failed (${reason}). Try again ${after}.`;
      throw new outcome.type(text, outcome);
    }
    attempts += 1;
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

/** @throws the signal's reason, or what a framework throws to control itself */
const attemptOnce = (lookup: Lookup, limitMs: number): Promise<LookupWithEvidence | Failure> =>
  within(limitMs, lookup.signal, async (stop) => {
    const { key, send } = lookup;
    const [mode, value] = lookup.subject;
    // Not URLSearchParams, because it encodes a space as "+", which the service reads as a plus sign.
    const encoded = encodeURIComponent(value);
    const url = `${lookup.url}/pohAttestationsEndpoint?${mode}=${encoded}`;
    const agent = `poh-attestations-typescript/${VERSION}`;
    const headers = { 'User-Agent': agent, 'X-PoH-API-Key': key };
    const sent = { url, mode, secrets: [key, value, encoded] } as const;
    let response: HttpResponse;
    let text: string;
    try {
      // Redirects are not followed, because they would send the key and the subject to another server.
      response = await send(url, { headers, redirect: 'manual', signal: stop, ...noStore });
      text = await readText(response);
    } catch (error) {
      // Next.js throws such an error to make a page dynamic. It must stay the same one.
      if (typeof fieldOf(error, 'digest') === 'string' && !Object.isFrozen(error))
        throw redactAll(error, sent.secrets);
      const reason = `no response within ${Math.ceil(limitMs) / 1000} s`;
      if (stop.aborted) return { type: ConnectionFailed, reason, isFinal: false };
      return connectionFailure(error, sent);
    }
    lookup.onKeyEnds(response.headers.get('X-PoH-Key-Ends') ?? '');
    return parseResponse(sent, response, text);
  });

/** Redacts an error's texts in place. @returns the same error */
function redactAll(error: unknown, secrets: readonly string[]): unknown {
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(Object(error), name);
    if (typeof value === 'string') Reflect.set(Object(error), name, redact(value, secrets));
  }
  Reflect.deleteProperty(Object(error), 'cause');
  return error;
}
