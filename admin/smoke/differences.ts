// Compares an answer with what the contract says of it. Pure.

import { type ErrorCode, errorBodySchema, errorRow } from '../../functions/src/errors.ts';
import { lookupResultSchema } from '../../functions/src/lookupResult.ts';
import type { Check } from './checks.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** @returns each difference as a few words; nothing when the answer is as it has to be */
export function differencesOf(check: Check, answer: Answer): string[] {
  // Hosting leads one path to the function, and answers every other itself.
  if (check.expected === 'not_found' && !isJson(answer)) {
    return answer.status === 404 ? [] : [`status ${answer.status} instead of 404`];
  }
  const expected = check.expected === 'ok' ? 200 : errorRow(check.expected).status;
  if (answer.status !== expected) {
    return [`status ${answer.status} instead of ${expected}${told(answer)}`];
  }
  return [...headerDifferences(check, answer), ...bodyDifferences(check, answer)];
}

function headerDifferences({ expected }: Check, { headers }: Answer): string[] {
  const wanted = { ...HEADERS, ...(expected !== 'ok' && errorRow(expected).headers) };
  const wrong = Object.entries(wanted)
    .filter(([name, value]) => headers.get(name) !== value)
    .map(([name, value]) => `${name}: ${headers.get(name) ?? '(none)'} instead of ${value}`);
  const open = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  return [
    ...wrong,
    ...(headers.get('X-Request-Id') ? [] : ['no X-Request-Id']),
    ...open.map((name) => `${name} lets browsers ask`),
  ];
}

function bodyDifferences(check: Check, answer: Answer): string[] {
  if (check.method === 'HEAD') return answer.body === '' ? [] : ['a body in answer to HEAD'];
  if (check.expected === 'ok') return resultDifferences(check, answer);
  return errorDifferences(check.expected, answer);
}

function errorDifferences(code: ErrorCode, { body, headers }: Answer): string[] {
  const parsed = errorBodySchema.strict().safeParse(jsonOf(body));
  if (!parsed.success) return ['the body is not of the form {error, code, requestId}'];
  const { error, code: told, requestId } = parsed.data;
  if (told !== code) return [`code ${told} instead of ${code}`];
  return [
    ...(error === errorRow(code).message ? [] : ['the sentence is of another version']),
    ...(requestId === headers.get('X-Request-Id') ? [] : ['requestId is not X-Request-Id']),
  ];
}

function resultDifferences({ wallet }: Check, { body }: Answer): string[] {
  const parsed = lookupResultSchema.strict().safeParse(jsonOf(body));
  if (!parsed.success) return ['the body is not the result of a lookup'];
  const { count, attestations, wallet: named } = parsed.data;
  return [
    ...(named === wallet ? [] : ['it names another wallet']),
    ...(count === 0 && attestations.length === 0 ? [] : ['a random wallet holds attestations']),
  ];
}

const isJson = ({ headers }: Answer): boolean =>
  headers.get('Content-Type')?.startsWith('application/json') === true;

/** The code of an error's body, where it has one: it says more than the status. */
function told({ body }: Answer): string {
  const parsed = errorBodySchema.safeParse(jsonOf(body));
  return parsed.success ? ` (${parsed.data.code})` : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
