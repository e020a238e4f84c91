// The requests of the smoke test, and how a response may differ from the contract: one lookup, and errors
// that a request can cause in any deployment. Pure; sends no requests.

import { randomBytes, randomUUID } from 'node:crypto';
import bs58 from 'bs58';
import { ENDPOINT_PATH, RESPONSE_HEADERS } from '../../contract/endpoint.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { errorBodySchema, lookupResultSchema } from '../../contract/schemas.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { parseJson } from '../terminal/parseJson.ts';

export interface Check {
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
  /** Appended to the address of the endpoint. */
  readonly target: string;
  /** Undefined for a request without a key. */
  readonly key: string | undefined;
  readonly expected: ErrorCode | 'ok';
}

/** Longer than the 10 seconds within which every request gets its response. */
export const GIVE_UP_MS = 15_000;

/** @returns the endpoint's address; `base` may include its path */
export const endpointOf = (base: URL): string => {
  const path = base.pathname.replace(/\/+$/, '');
  return base.origin + (path.endsWith(ENDPOINT_PATH) ? path : path + ENDPOINT_PATH);
};

// Random values match nobody's data. No e-mail address under .invalid exists.
const wallet = bs58.encode(randomBytes(32));
const email = `smoke-${randomUUID()}@poh-attestations.invalid`;

type Row = readonly [name: string, target: string, expected: Check['expected'], Check['method']?];

const WITHOUT_KEY: readonly Row[] = [
  ['no key', `?wallet=${wallet}`, 'unauthorized'],
  ['no key, and a bad wallet', '?wallet=0', 'unauthorized'],
  ['HEAD', `?wallet=${wallet}`, 'unauthorized', 'HEAD'],
  ['POST', '', 'method_not_allowed', 'POST'],
  ["a browser's preflight", '', 'method_not_allowed', 'OPTIONS'],
  ['a retired path', '/api/v1/poh/group', 'not_found'],
];

const WITH_KEY: readonly Row[] = [
  ['no subject', '?wallet=', 'missing_subject'],
  ['a wallet twice', `?wallet=${wallet}&wallet=${wallet}`, 'repeated_parameter'],
  ['a bad wallet', '?wallet=0', 'invalid_wallet'],
  ['an unknown e-mail', `?email=${email}`, 'email_not_found'],
  ['an unknown token', `?token=${randomUUID()}`, 'token_not_found'],
  ['a lookup', `?wallet=${wallet}`, 'ok'],
];

const checksOf = (key: string | undefined, rows: readonly Row[]): Check[] =>
  rows.map(([name, target, expected, method = 'GET']) => ({ name, method, target, key, expected }));

/**
 * @param key a valid key; undefined to omit the checks that need one
 * @param verified a wallet that is known to be verified, if there is one
 */
export const checksWith = (key: string | undefined, verified?: string): Check[] => [
  ...checksOf(newApiKey(randomBytes), [['an unknown key', `?wallet=${wallet}`, 'unauthorized']]),
  ...checksOf(undefined, WITHOUT_KEY),
  ...(key === undefined ? [] : checksOf(key, WITH_KEY)),
  ...(key === undefined || verified === undefined
    ? []
    : checksOf(key, [['a verified wallet', `?wallet=${verified}`, 'ok']])),
];

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** @returns each difference from the contract in a few words */
export function differencesOf(check: Check, response: ReceivedResponse): string[] {
  // Hosting rewrites one path to the function, and responds to all others itself.
  if (check.expected === 'not_found' && !isJson(response)) {
    return response.status === 404 ? [] : [`status ${response.status} instead of 404`];
  }
  const expected = check.expected === 'ok' ? 200 : ERRORS[check.expected].status;
  if (response.status !== expected) {
    return [`status ${response.status} instead of ${expected}${codeIn(response)}`];
  }
  return [...headerDifferences(check, response), ...bodyDifferences(check, response)];
}

function headerDifferences({ expected }: Check, { headers }: ReceivedResponse): string[] {
  const wanted = { ...RESPONSE_HEADERS, ...(expected !== 'ok' && ERRORS[expected].headers) };
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
  if (check.method === 'HEAD') return [];
  if (check.expected === 'ok') return resultDifferences(check, response);
  return errorDifferences(check.expected, response);
}

function errorDifferences(code: ErrorCode, { body, headers }: ReceivedResponse): string[] {
  const parsed = errorBodySchema.strict().safeParse(parseJson(body));
  if (!parsed.success) return ['the body is not of the form {error, code, requestId}'];
  const { error, code: returned, requestId } = parsed.data;
  if (returned !== code) return [`code ${returned} instead of ${code}`];
  return [
    ...(error === ERRORS[code].message ? [] : ['the message is from another version']),
    ...(requestId === headers.get('X-Request-Id') ? [] : ['requestId differs from X-Request-Id']),
  ];
}

function resultDifferences({ target }: Check, { body }: ReceivedResponse): string[] {
  const parsed = lookupResultSchema.strict().safeParse(parseJson(body));
  if (!parsed.success) return ['the body is not the result of a lookup'];
  const { count, attestations, wallet: named, hasVerifiedHuman } = parsed.data;
  const asked = new URLSearchParams(target).get('wallet');
  const isEmpty = count === 0 && attestations.length === 0;
  return [
    ...(named === asked ? [] : ['it names another wallet']),
    ...(asked === wallet && !isEmpty ? ['a random wallet has attestations'] : []),
    ...(asked !== wallet && !hasVerifiedHuman ? ['hasVerifiedHuman is not true'] : []),
  ];
}

const isJson = ({ headers }: ReceivedResponse): boolean =>
  headers.get('Content-Type')?.startsWith('application/json') === true;

/** The code in an error's body, if any, which says more than the status. */
function codeIn({ body }: ReceivedResponse): string {
  const parsed = errorBodySchema.safeParse(parseJson(body));
  return parsed.success ? ` (${parsed.data.code})` : '';
}
