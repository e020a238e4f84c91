import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { describe, expect, test } from 'vitest';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { DEMONSTRATION_ATTESTATIONS, firstExample } from '../../contract/examples.ts';
import { TYPE_NUMBERS } from '../../contract/result.ts';
import { needsNewNumber } from '../../site/openapi/generate.ts';
import { requireContract } from '../support/contract.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const headers = {
  'x-request-id': 'any',
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
};
const BODY = { error: 'A sentence.', code: 'internal', requestId: 'any' };

const require500 = (response: object): void => {
  requireContract('GET', { status: 500, headers, text: '', json: BODY, ...response });
};

test('clients that are generated from the published document accept later types, codes and fields', () => {
  const ajv = new Ajv2020({ strict: false, formats: fullFormats }).addSchema(
    JSON.parse(read('docs/openapi.json')),
    'contract',
  );
  const accepts = (schema: string, body: object) =>
    ajv.validate({ $ref: `contract#/components/schemas/${schema}` }, { ...body, later: true });
  const later = { attestationType: 99, status: 'finalized', later: true };
  const result = { ...firstExample, attestations: [{ ...firstExample.attestations[0], ...later }] };
  expect(accepts('LookupResult', result), ajv.errorsText()).toBe(true);
  expect(accepts('ErrorBody', { ...BODY, code: 'later' }), ajv.errorsText()).toBe(true);
});

test('the demonstration has an attestation of every type', () => {
  const types = DEMONSTRATION_ATTESTATIONS.map(({ attestationType }) => attestationType);
  expect(new Set(types)).toEqual(new Set(TYPE_NUMBERS));
});

test('everything in the published document has a description', () => {
  const without: string[] = [];
  const visit = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return;
    const isDescribed = 'description' in part || '$ref' in part;
    if (/\/(properties|headers|parameters)\/[^/]+$/.test(path) && !isDescribed) without.push(path);
    for (const [name, inner] of Object.entries(part)) visit(inner, `${path}/${name}`);
  };
  visit(JSON.parse(read('docs/openapi.json')), '');
  expect(without).toEqual([]);
});

test('every file calls the endpoint by its name', () => {
  const words = ['grep', '-hIoEi', 'poh[a-z]*endpoint', '--', ':!*.svg'];
  const names = execFileSync('git', words, { encoding: 'utf8' }).trim().split('\n');
  expect(names.length).toBeGreaterThan(20);
  // Cloud Run names the service in lower case.
  expect(new Set(names)).toEqual(new Set([ENDPOINT_NAME, ENDPOINT_NAME.toLowerCase()]));
});

test('a contract with another form needs a new second number', () => {
  const published = JSON.parse(read('docs/openapi.json'));
  const [first, second] = published.info.version.split('.').map(Number);
  const needs = (version: string, change: object): boolean => {
    const servers = [{ ...published.servers[0], ...change }];
    return needsNewNumber(published, { ...published, info: { version }, servers });
  };
  expect(needs(`${first}.${second}.9`, { url: '/v2' })).toBe(true);
  expect(needs(`${first}.${second}.9`, { description: '' })).toBe(false);
  expect(needs(`${first}.${second + 1}.0`, { url: '/v2' })).toBe(false);
});

test('the check of what is generated fails if a file is missing', () => {
  const words = [resolve('site/openapi/generate.ts'), '--check'];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: temporaryFolder() });
  expect(`${status}: ${stdout}`).toMatch(/^1: docs\/openapi\.json is out of date/);
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
  ])('fails with %s', (_, response) => expect(() => require500(response)).toThrow());
});
