// The requests of the smoke test, and how a response may differ from the contract: one lookup, and errors
// that a request can cause in any deployment. Pure; sends no requests.

import { randomBytes, randomUUID } from 'node:crypto';
import bs58 from 'bs58';
import { errorBodySchema, lookupResultSchema } from '../../functions/contract.ts';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../functions/src/errors.ts';
import { CACHE_CONTROL } from '../../functions/src/lookup.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { parseJson } from '../frame/input.ts';

export interface Check {
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
  /** Appended to the address of the endpoint. */
  readonly target: string;
  /** Undefined for a request without a key. */
  readonly key: string | undefined;
  readonly expected: ErrorCode | 'ok';
  /** The wallet of a lookup. */
  readonly wallet?: string;
}

const PATH = '/pohAttestationsEndpoint';

/** @returns the endpoint's address; `base` may include its path */
export const endpointOf = (base: URL): string => {
  const path = base.pathname.replace(/\/+$/, '');
  return base.origin + (path.endsWith(PATH) ? path : path + PATH);
};

// Random values match nobody's data. No e-mail address under .invalid exists.
const wallet = bs58.encode(randomBytes(32));
const unknownKey = newApiKey(randomBytes);
const email = `smoke-${randomUUID()}@poh-attestations.invalid`;

/** Makes one database read, regardless of the data. Sent first and repeated, to time a cold and a warm instance. */
export const TIMED: Check = {
  name: 'an unknown key',
  method: 'GET',
  target: `?wallet=${wallet}`,
  key: unknownKey,
  expected: 'unauthorized',
};

const WITHOUT_KEY: readonly Omit<Check, 'key'>[] = [
  { name: 'no key', method: 'GET', target: `?wallet=${wallet}`, expected: 'unauthorized' },
  {
    name: 'no key, and a bad wallet',
    method: 'GET',
    target: '?wallet=0',
    expected: 'unauthorized',
  },
  { name: 'HEAD', method: 'HEAD', target: `?wallet=${wallet}`, expected: 'unauthorized' },
  { name: 'POST', method: 'POST', target: '', expected: 'method_not_allowed' },
  { name: "a browser's preflight", method: 'OPTIONS', target: '', expected: 'method_not_allowed' },
  { name: 'a retired path', method: 'GET', target: '/api/v1/poh/group', expected: 'not_found' },
];

const WITH_KEY: readonly Omit<Check, 'key'>[] = [
  { name: 'no subject', method: 'GET', target: '?wallet=', expected: 'missing_subject' },
  {
    name: 'a wallet twice',
    method: 'GET',
    target: `?wallet=${wallet}&wallet=${wallet}`,
    expected: 'repeated_parameter',
  },
  { name: 'a bad wallet', method: 'GET', target: '?wallet=0', expected: 'invalid_wallet' },
  {
    name: 'an unknown e-mail',
    method: 'GET',
    target: `?email=${email}`,
    expected: 'email_not_found',
  },
  {
    name: 'an unknown token',
    method: 'GET',
    target: `?token=${randomUUID()}`,
    expected: 'token_not_found',
  },
  { name: 'a lookup', method: 'GET', target: `?wallet=${wallet}`, expected: 'ok', wallet },
];

/** @param key a valid key; undefined to omit the checks that need one */
export const checksWith = (key: string | undefined): Check[] => [
  TIMED,
  ...WITHOUT_KEY.map((check) => ({ ...check, key: undefined })),
  ...(key === undefined ? [] : WITH_KEY.map((check) => ({ ...check, key }))),
];

/** The error codes that these checks do not cover. */
export const codesWithoutCheck = (checks: readonly Check[]): ErrorCode[] =>
  ERROR_CODES.filter((code) => !checks.some(({ expected }) => expected === code));

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
  const expected = check.expected === 'ok' ? 200 : ERRORS[check.expected].status;
  if (response.status !== expected) {
    return [`status ${response.status} instead of ${expected}${codeIn(response)}`];
  }
  return [...headerDifferences(check, response), ...bodyDifferences(check, response)];
}

function headerDifferences({ expected }: Check, { headers }: ReceivedResponse): string[] {
  const wanted = { ...HEADERS, ...(expected !== 'ok' && ERRORS[expected].headers) };
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
    ...(error === ERRORS[code].message ? [] : ['the message is from another version']),
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
