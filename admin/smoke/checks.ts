// The requests of the smoke test with their expected responses: one lookup, and errors that a request can
// cause in any deployment. Pure; sends no requests.

import { randomBytes, randomUUID } from 'node:crypto';
import bs58 from 'bs58';
import { ERROR_CODES, type ErrorCode } from '../../functions/src/errors.ts';
import { newApiKey } from '../../records/apiKeyText.ts';

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
