import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../functions/src/lookup/errors.ts';
import { openapiDocument } from '../../site/contract/document.ts';
import { requireContract } from '../support/contract.ts';

const contract = openapiDocument();
const headers = {
  'x-request-id': 'any',
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
};
const BODY = { error: 'A sentence.', code: 'internal', requestId: 'any' };

const require500 = (response: object): void => {
  requireContract('GET', { status: 500, headers, text: '', json: BODY, ...response });
};

describe('the contract', () => {
  test('equals the committed file', () => {
    const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(contract)));
  });

  test('shows every code in the error table, with an example', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(contract.info.description).toContain(`| ${status} | \`${code}\` |`);
      expect(JSON.stringify(contract)).toContain(`"code":"${code}"`);
    }
  });
});

describe('a response', () => {
  test('passes if it is as documented', () => expect(() => require500({})).not.toThrow());

  test.each([
    ['an additional field', { json: { ...BODY, stack: 'at x' } }],
    ['a missing field', { json: { error: 'A sentence.', code: 'internal' } }],
    ['the code of another status', { json: { ...BODY, code: 'unauthorized' } }],
    ['a code that is not in the table', { json: { ...BODY, code: 'out_of_luck' } }],
    ['a body that is not JSON', { json: undefined }],
    ['a missing header', { headers: {} }],
    ['a header with another value', { headers: { ...headers, 'cache-control': 'public' } }],
    ['an undocumented status', { status: 418 }],
    ['a status that only the platform sends', { status: 429 }],
  ])('fails with %s', (_, response) => expect(() => require500(response)).toThrow());
});
