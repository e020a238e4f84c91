// Compares a response with the contract. Pure.

import { errorBodySchema, lookupResultSchema } from '../../functions/contract.ts';
import { type ErrorCode, errorRow } from '../../functions/src/errors.ts';
import { CACHE_CONTROL } from '../../functions/src/lookup.ts';
import { parseJson } from '../frame/input.ts';
import type { Check } from './checks.ts';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': CACHE_CONTROL,
  'X-Content-Type-Options': 'nosniff',
} as const;

/** @returns each difference from the contract in a few words */
export function differencesOf(check: Check, response: ReceivedResponse): string[] {
  // Hosting rewrites one path to the function, and responds to all others itself.
  if (check.expected === 'not_found' && !isJson(response)) {
    return response.status === 404 ? [] : [`status ${response.status} instead of 404`];
  }
  const expected = check.expected === 'ok' ? 200 : errorRow(check.expected).status;
  if (response.status !== expected) {
    return [`status ${response.status} instead of ${expected}${codeIn(response)}`];
  }
  return [...headerDifferences(check, response), ...bodyDifferences(check, response)];
}

function headerDifferences({ expected }: Check, { headers }: ReceivedResponse): string[] {
  const wanted = { ...HEADERS, ...(expected !== 'ok' && errorRow(expected).headers) };
  const wrong = Object.entries(wanted)
    .filter(([name, value]) => headers.get(name) !== value)
    .map(([name, value]) => `${name}: ${headers.get(name) ?? '(none)'} instead of ${value}`);
  const open = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  return [
    ...wrong,
    ...(headers.get('X-Request-Id') ? [] : ['no X-Request-Id']),
    ...open.map((name) => `${name} allows browsers to call it`),
  ];
}

function bodyDifferences(check: Check, response: ReceivedResponse): string[] {
  if (check.method === 'HEAD')
    return response.body === '' ? [] : ['a body in the response to HEAD'];
  if (check.expected === 'ok') return resultDifferences(check, response);
  return errorDifferences(check.expected, response);
}

function errorDifferences(code: ErrorCode, { body, headers }: ReceivedResponse): string[] {
  const parsed = errorBodySchema.strict().safeParse(parseJson(body));
  if (!parsed.success) return ['the body is not of the form {error, code, requestId}'];
  const { error, code: returned, requestId } = parsed.data;
  if (returned !== code) return [`code ${returned} instead of ${code}`];
  return [
    ...(error === errorRow(code).message ? [] : ['the message is from another version']),
    ...(requestId === headers.get('X-Request-Id') ? [] : ['requestId differs from X-Request-Id']),
  ];
}

function resultDifferences({ wallet }: Check, { body }: ReceivedResponse): string[] {
  const parsed = lookupResultSchema.strict().safeParse(parseJson(body));
  if (!parsed.success) return ['the body is not the result of a lookup'];
  const { count, attestations, wallet: named } = parsed.data;
  return [
    ...(named === wallet ? [] : ['it names another wallet']),
    ...(count === 0 && attestations.length === 0 ? [] : ['a random wallet has attestations']),
  ];
}

const isJson = ({ headers }: ReceivedResponse): boolean =>
  headers.get('Content-Type')?.startsWith('application/json') === true;

/** The code in an error's body, if any, which says more than the status. */
function codeIn({ body }: ReceivedResponse): string {
  const parsed = errorBodySchema.safeParse(parseJson(body));
  return parsed.success ? ` (${parsed.data.code})` : '';
}
