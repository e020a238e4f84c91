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
import { parseJson } from '../frame/input.ts';

export interface SavedResponse {
  readonly evidence: Evidence;
  /** Whether the saved status, content type and digest are those of the result. Evidence does not repeat them. */
  readonly isResult: boolean;
}

const REQUEST_LINE = /^(?:(?:GET|HEAD) )?(https?:\/\/\S+)$/;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})(?!\d)/;

/**
 * @param text the content of the file
 * @returns undefined if it is not a saved response
 */
export function parseSavedResponse(text: string): SavedResponse | undefined {
  if (text.trimStart().startsWith('{')) return parseStored(text);
  const [requestLine, afterRequest] = cut(text, '\n');
  const [, url] = REQUEST_LINE.exec(requestLine.trimEnd()) ?? [];
  return url === undefined ? undefined : parseResponse(url, afterRequest);
}

/** Parses evidence, alone or with the keys that were stored with it. */
function parseStored(text: string): SavedResponse | undefined {
  const stored = parseJson(text) as { evidence?: Evidence } & Evidence;
  const evidence: Evidence | undefined = stored?.evidence ?? stored;
  const isComplete = typeof evidence?.url === 'string' && typeof evidence.body === 'string';
  return isComplete ? { evidence, isResult: true } : undefined;
}

/** Parses the last of the responses. curl saves interim responses, and a proxy's to CONNECT, before it. */
function parseResponse(url: string, text: string): SavedResponse | undefined {
  const [head, body] = cut(text, text.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n');
  if (STATUS_LINE.test(body)) return parseResponse(url, body);
  const [statusLine = '', ...fields] = head.split(/\r?\n/);
  const [, status] = STATUS_LINE.exec(statusLine) ?? [];
  if (status === undefined) return undefined;
  try {
    const headers = new Headers(fields.map((field) => cut(field, ':')));
    return savedFrom(url, { status: Number(status), headers, body });
  } catch {
    return undefined;
  }
}

/** @param url the address of the request */
export function savedFrom(
  url: string,
  { status, headers, body }: { status: number; headers: Headers; body: string },
): SavedResponse {
  const header = (name: string): string => headers.get(name) ?? '';
  return {
    evidence: {
      url,
      body,
      requestId: header('X-Request-Id'),
      signatureInput: header('Signature-Input'),
      signature: header('Signature'),
    },
    isResult:
      status === 200 &&
      header('Content-Type') === 'application/json; charset=utf-8' &&
      header('Content-Digest') ===
        contentDigest(createHash('sha256').update(body).digest('base64')),
  };
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
