// Parses a saved response: the evidence that a client stored as JSON, or a line with the request's URL and
// then the output of `curl -i`.

import { createHash } from 'node:crypto';
import {
  type Evidence,
  InvalidEvidence,
  type PublicKey,
  verifyEvidence,
} from '../../clients/typescript/evidence.ts';
import { contentDigest } from '../../functions/src/signatures/base.ts';

export interface SavedResponse {
  readonly evidence: Evidence;
  /** Whether the saved status, content type and digest are those of the result. Evidence does not repeat them. */
  readonly isResult: boolean;
}

const REQUEST_LINE = /^(?:(?:GET|HEAD) )?(https?:\/\/\S+)$/;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})(?!\d)/;
/** Fields of a 2xx response with content. A proxy's response to CONNECT never has them (RFC 9110, 9.3.6). */
const CONTENT_FIELDS = ['content-type', 'content-length', 'transfer-encoding'];

/**
 * @param text the content of the file
 * @returns undefined if it is not a saved response
 */
export function parseSavedResponse(text: string): SavedResponse | undefined {
  if (text.trimStart().startsWith('{')) return parseStored(text);
  const [requestLine, afterRequest] = cut(text, '\n');
  const [, url] = REQUEST_LINE.exec(requestLine.trimEnd()) ?? [];
  const response = parseResponse(afterRequest);
  if (url === undefined || !response) return undefined;
  const { status, headers, body } = response;
  const header = (name: string): string => headers.get(name) ?? '';
  return {
    evidence: {
      url,
      body,
      requestId: header('x-request-id'),
      signatureInput: header('signature-input'),
      signature: header('signature'),
    },
    isResult:
      status === 200 &&
      header('content-type') === 'application/json; charset=utf-8' &&
      header('content-digest') ===
        contentDigest(createHash('sha256').update(body).digest('base64')),
  };
}

/** Parses evidence, alone or with the keys that were stored with it. */
function parseStored(text: string): SavedResponse | undefined {
  try {
    const stored = JSON.parse(text);
    const evidence = stored.evidence ?? stored;
    const isComplete = typeof evidence.url === 'string' && typeof evidence.body === 'string';
    return isComplete ? { evidence, isResult: true } : undefined;
  } catch {
    return undefined;
  }
}

interface Response {
  readonly status: number;
  /** Field names are in lower case; the values of a repeated field are joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function parseResponse(text: string): Response | undefined {
  const [head, body] = cut(text, text.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n');
  const [statusLine = '', ...fields] = head.split(/\r?\n/);
  const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) return undefined;
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [name, value] = cut(field, ':');
    const before = headers.get(name.toLowerCase());
    const joined = before === undefined ? value.trim() : `${before}, ${value.trim()}`;
    headers.set(name.toLowerCase(), joined);
  }
  const isInterim = status >= 100 && status <= 199;
  // curl saves a proxy's response to CONNECT before the server's response.
  const isTunnel =
    status >= 200 && status <= 299 && !CONTENT_FIELDS.some((name) => headers.has(name));
  const isFollowed = STATUS_LINE.test(body);
  return (isInterim || isTunnel) && isFollowed ? parseResponse(body) : { status, headers, body };
}

/** Splits at the first separator. */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** @throws InvalidEvidence with the reason @returns the time of the signature */
export function verifySavedResponse(
  { evidence, isResult }: SavedResponse,
  keys: readonly PublicKey[],
  keptSince?: Date,
): Date {
  const signedAt = verifyEvidence(evidence, keys, keptSince);
  if (!isResult) throw new InvalidEvidence('changed');
  return signedAt;
}
