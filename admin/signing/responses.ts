// The group `responses`, which verifies saved responses: the evidence that a client stored as JSON, or a line with the
// request's URL and then the output of `curl -i`.

import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import {
  type Evidence,
  InvalidEvidence,
  type PublicKey,
  verifyEvidence,
} from '../../clients/typescript/evidence.ts';
import { contentDigest } from '../../functions/src/signatures/base.ts';
import { MODES } from '../../records/apiKey.ts';
import { parseInstant, parseJson, readInput } from '../frame/input.ts';
import { print } from '../frame/output.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { DEFAULT_KEY_SET, readVerifyingKeys } from './publicKeySet.ts';

interface VerifyFlags {
  readonly keys: string;
  readonly keptSince?: number;
}

export function addResponsesGroup(program: Command): void {
  program
    .command('responses')
    .description('verify signed responses that were saved as evidence')
    .command('verify')
    .description('check that a saved response was signed by the service; if not, say why')
    .argument(
      '<file>',
      "evidence as JSON, or a line with the request's URL, then what `curl -i` saved",
    )
    .option('--keys <file or url>', 'the set of public keys', DEFAULT_KEY_SET)
    .option(
      '--kept-since <time>',
      'the earliest time at which the file provably existed; needed if its key has leaked since',
      parseInstant,
    )
    .addHelpText(
      'after',
      '\nExit status: 0 valid, 1 not valid, 2 usage error, or the file is not a saved response.',
    )
    .action(verify);
}

async function verify(file: string, { keys: source, keptSince }: VerifyFlags): Promise<void> {
  const saved = parseSavedResponse(readInput(file, 'Name a file with a saved response.'));
  if (!saved) {
    throw usageFailure(
      `${file} is not a saved response. It must be evidence as a client stores it, or a line with the URL of the request, followed by the output of \`curl -i\`.`,
    );
  }
  const keys = await readVerifyingKeys(source);
  try {
    const moment = keptSince === undefined ? undefined : new Date(keptSince);
    const signedAt = verifySavedResponse(saved, keys, moment);
    const [, keyId] = /keyid="([^"]+)"/.exec(saved.evidence.signatureInput) ?? [];
    await print(
      `valid: signed ${signedAt.toISOString()} by ${keyId} for ${lookupOf(saved)}\n` +
        `requested: ${escapeForTerminal(saved.evidence.url)} (the signature covers only the query, not the host)\n`,
    );
  } catch (error) {
    if (!(error instanceof InvalidEvidence)) throw error;
    const advice = error.reason === 'key_leaked' ? ' The option for it is --kept-since.' : '';
    throw new Failure(`${error.reason}: ${error.message}${advice}`);
  }
}

/** Describes a lookup, as in "a lookup by token: hasVerifiedHuman true, votedCount 2, supportedCount 1". */
function lookupOf({ evidence: { url, body } }: SavedResponse): string {
  const parameters = new URLSearchParams(url.split('?').slice(1).join('?'));
  const mode = MODES.find((name) => parameters.get(name)) ?? 'nobody';
  const { hasVerifiedHuman, votedCount, supportedCount } = JSON.parse(body);
  return `a lookup by ${mode}: hasVerifiedHuman ${hasVerifiedHuman}, votedCount ${votedCount}, supportedCount ${supportedCount}`;
}

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
