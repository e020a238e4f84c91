// Turns the response to one request, or its failure, into a result or the reason for which there is none.

import {
  ConnectionFailed,
  type Details,
  KeyRefused,
  RateLimited,
  Refused,
  SubjectRefused,
  Unavailable,
} from './errors.ts';
import type { Evidence } from './evidence.ts';
import { ABOUT_SUBJECT, CODES, isResult, type LookupResult } from './result.ts';

/** The parts of a response that the client reads. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A stream of bytes. Its type differs between runtimes. */
  readonly body: unknown;
}

export interface LookupWithEvidence {
  result: LookupResult;
  /** Undefined if the operator does not sign its responses. */
  evidence: Evidence | undefined;
}

/** Why one attempt failed, and how a lookup fails that ends with it. */
export interface Failure extends Details {
  readonly reason: string;
  readonly type: typeof Refused | typeof Unavailable;
  /** Whether another attempt would fail as well, so that the reason is the whole message. */
  readonly isFinal: boolean;
}

/** A request: its URL, and the texts that no message may contain, of which the subject is the second. */
export interface Sent {
  readonly url: string;
  readonly mode: string;
  readonly secrets: readonly [key: string, subject: string, encodedSubject: string];
}

/** The statuses with which servers on the way refuse a long URL. */
const TOO_LONG = [414, 431];
/** The statuses below 500 that another attempt may not get. */
const TEMPORARY = [408, 425, 429];
/** Google Cloud sends at most 32 MB. */
const BODY_MAX_BYTES = 64 * 2 ** 20;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Removes secrets and control characters from a text, which may contain the URL in any spelling. */
export const redact = (text: unknown, secrets: readonly string[]): string =>
  secrets
    .reduce((rest, each) => rest.replaceAll(each, '…'), textOf(text))
    .replaceAll(/(wallet|email|token)=[^\s"'&]*/g, '$1=…')
    .replaceAll(/[^\P{C}]/gu, ' ');

/** @returns the parts of a response that prove it, if it is signed */
function evidenceOf({ url }: Sent, { status, headers }: HttpResponse, body: string) {
  const field = (name: string): string => headers.get(name) ?? '';
  const [requestId, signature] = [field('X-Request-Id'), field('Signature')];
  const signatureInput = field('Signature-Input');
  return signature ? { url, status, body, requestId, signatureInput, signature } : undefined;
}

export function parseResponse(
  sent: Sent,
  response: HttpResponse,
  text: string,
): LookupWithEvidence | Failure {
  const [, value] = sent.secrets;
  const body = parseJson(text);
  // In the other modes, a wallet would mean that the response is for another request.
  const wallet = sent.mode === 'wallet' ? value : undefined;
  if (response.status !== 200 || !isResult(body) || body.wallet !== wallet)
    return failureOf(sent, response, text, body);
  const requestId = response.headers.get('X-Request-Id') ?? '';
  return { result: { ...body, requestId }, evidence: evidenceOf(sent, response, text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Describes a response that is not a result, in no words of another server. */
function failureOf(sent: Sent, response: HttpResponse, text: string, body: unknown): Failure {
  const { status, headers } = response;
  // Only a plain word, because another server may repeat the key or the subject in any text.
  const wordOf = (value: unknown): string => {
    const [word = ''] = /^[\w-]{1,64}$/.exec(textOf(value)) ?? [];
    return sent.secrets.some((each) => each.length > 7 && word.includes(each)) ? '' : word;
  };
  const said = Object(body);
  const code = typeof said.error === 'string' ? wordOf(said.code) : '';
  const requestId = wordOf(said.requestId) || wordOf(headers.get('X-Request-Id'));
  const shown = `HTTP ${status} ${code}`.trim() + (requestId && `, request ${requestId}`);
  const details = { status, code, requestId };
  const refused = (type: typeof Refused, advice: string, more: Details = {}): Failure => {
    return { ...details, ...more, type, reason: `${shown}. ${advice}`, isFinal: true };
  };
  if (status < 300 || status >= 500 || TEMPORARY.includes(status)) {
    const type = status === 429 ? RateLimited : Unavailable;
    const reason = status === 200 ? 'HTTP 200, not from the service' : shown;
    return { ...details, type, reason, retryAfter: retryAfterOf(headers), isFinal: false };
  }
  const [, advice = ''] = Object.hasOwn(CODES, code) ? Object(CODES)[code] : [];
  if (status >= 400 && code !== '') {
    // The client always sends valid HTTP, so the service finds fault only with its length.
    if (code === 'malformed_request') return refused(SubjectRefused, LONG);
    const evidence = evidenceOf(sent, response, text);
    if (ABOUT_SUBJECT.includes(code)) return refused(SubjectRefused, advice, { evidence });
    return refused([401, 403].includes(status) ? KeyRefused : Refused, advice || UNKNOWN);
  }
  const other = { code: 'not_the_service' };
  if (TOO_LONG.includes(status)) return refused(SubjectRefused, LONG, other);
  const what = status < 400 ? 'It is a redirect, which is not followed.' : 'Not from the service.';
  return refused(Refused, `${what} Check the address of the service.`, other);
}

const LONG = 'The subject is too long. Check it.';
const UNKNOWN = 'This version of the client does not know the code.';

/** Reads seconds, also with a fraction, or a date. Of several fields it takes the first. */
function retryAfterOf(headers: HttpResponse['headers']): number | undefined {
  const [, seconds, date = ''] =
    /^(?:(\d+(?:\.\d+)?) *(?:,|$)|(\w{3}, [\w :]{20} GMT))/.exec(
      headers.get('Retry-After') ?? '',
    ) ?? [];
  const until = (Date.parse(date) - Date.now()) / 1000;
  const asked = Number(seconds ?? until);
  return asked > 0 ? Math.ceil(asked) : undefined;
}

/** The failures of a machine's settings by what Node, Bun, Deno and undici say about them, and what to do. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [
    /ALTNAME|NotValidForName/,
    'Its certificate is for another name. Check the address of the service.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_|certificate/,
    'Its certificate is not trusted. If your network has its own authority, set NODE_EXTRA_CA_CERTS (Deno: DENO_CERT) to a file with its certificate.',
  ],
  [/ERR_SSL|EPROTO|WRONG_VERSION/, 'It does not speak TLS here. Check the address of the service.'],
  [
    /ENOTFOUND|Name or service not known/,
    'No machine has this name. Check the address of the service.',
  ],
  [
    /\b407\b/,
    'The proxy responded with HTTP 407. Set HTTPS_PROXY with its user name and password.',
  ],
];

/** Reads a field of what `fetch` threw, which may throw as well. */
export function fieldOf(thrown: unknown, name: string): unknown {
  try {
    return Object(thrown)[name];
  } catch {
    return undefined;
  }
}

/** Describes what `fetch` threw, whatever that is. The cause is a copy without secrets and control characters. */
export function connectionFailure(error: unknown, { url, secrets }: Sent): Failure {
  let root = error;
  for (let depth = 0; depth < 9; depth++) {
    const inner = fieldOf(root, 'cause');
    if (Object(inner) === inner) root = inner;
  }
  const field = (key: string): string => redact(fieldOf(root, key), secrets);
  const [name, code] = [field('name'), field('code')];
  const text =
    (field('message') || redact(error, secrets)).trim() || code || 'the connection failed';
  const cause = Object.assign(new Error(text), { name, code });
  const [, advice] = SETTINGS.find(([sign]) => sign.test(`${code} ${text}`)) ?? [];
  const reason = advice ? `${new URL(url).host}: ${advice} (${code || text})` : code || text;
  return { type: ConnectionFailed, reason, cause, isFinal: advice !== undefined };
}

/** @throws Error if it is too long, or a 200 that is not UTF-8 */
export async function readText({ status, body }: HttpResponse): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: status === 200, ignoreBOM: true });
  let bytes = 0;
  let text = '';
  for await (const part of isStream(body) ? body : []) {
    bytes += part.byteLength;
    if (bytes > BODY_MAX_BYTES) throw new Error('a response of more than 64 MiB');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

const isStream = (body: unknown): body is AsyncIterable<Uint8Array> =>
  Symbol.asyncIterator in Object(body);
