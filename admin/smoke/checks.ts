// The requests to a deployment and their expected responses: each row of the error table that can be
// requested without knowing its data, and one lookup. Pure: no request is made here.

import { randomBytes, randomUUID } from 'node:crypto';
import bs58 from 'bs58';
import { ERROR_CODES, type ErrorCode } from '../../functions/src/lookup/errors.ts';
import { newApiKey } from '../../records/apiKeyText.ts';

export interface Check {
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
  /** Appended to the address of the endpoint. */
  readonly target: string;
  /** Undefined: the request carries no key. */
  readonly key: string | undefined;
  readonly expected: ErrorCode | 'ok';
  /** The wallet of a lookup. */
  readonly wallet?: string;
}

const PATH = '/pohAttestationsEndpoint';

/** @returns the endpoint's address; `base` may end with its path or without it */
export const endpointOf = (base: URL): string => {
  const path = base.pathname.replace(/\/+$/, '');
  return base.origin + (path.endsWith(PATH) ? path : path + PATH);
};

// Random, so that a check matches nobody's data. No address under .invalid exists.
const wallet = bs58.encode(randomBytes(32));
const unknownKey = newApiKey(randomBytes);
const email = `smoke-${randomUUID()}@poh-attestations.invalid`;

/** One read of the database, whatever its data: made first and again to time cold and warm. */
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

/** @param key admits; undefined: what needs one is left out */
export const checksWith = (key: string | undefined): Check[] => [
  TIMED,
  ...WITHOUT_KEY.map((check) => ({ ...check, key: undefined })),
  ...(key === undefined ? [] : WITH_KEY.map((check) => ({ ...check, key }))),
];

/** The codes of the error table that these checks do not request. */
export const codesWithoutCheck = (checks: readonly Check[]): ErrorCode[] =>
  ERROR_CODES.filter((code) => !checks.some(({ expected }) => expected === code));
