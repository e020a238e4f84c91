import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../functions/src/errors.ts';
import { openapiDocument } from '../../site/contract/document.ts';
import { firstExample } from '../../site/contract/examples.ts';
import { requireContract } from '../support/contract.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

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

/** For each client, how it declares a field. TypeScript has a table of the fields that a response must have. */
const CLIENTS = [
  {
    file: 'clients/typescript/result.ts',
    types: { array: 'Attestation[]', boolean: 'boolean', integer: 'number', string: 'string' },
    field: (name: string, type: string, mark: string) => `${name}${mark && '?'}: ${type};`,
    required: (name: string, type: string) => `${name}: '${type}',`,
  },
  {
    file: 'clients/python/poh_attestations.py',
    types: { array: 'List[Attestation]', boolean: 'bool', integer: 'int', string: 'str' },
    field: (name: string, type: string) => `${name}: ${type}`,
  },
];

describe.each(CLIENTS)('$file', ({ file, types, field, required }) => {
  // On one line, without the marks of comments.
  const text = read(file)
    .replaceAll(/^\s*(\/\*\*|\*\/|\*|#|\/\/)|\*\/$/gm, '')
    .replaceAll(/\s+/g, ' ');
  const { Attestation: attestation, LookupResult: result } = contract.components.schemas;
  const fields = [attestation, result].flatMap((schema) =>
    Object.entries(schema?.properties ?? {}).map(
      ([name, each]) => [name, each, schema?.required?.includes(name) ?? false] as const,
    ),
  );

  test.each(fields)('describes and checks %s', (name, { type = '', description }, isRequired) => {
    const own = Object.entries(types).find(([jsonType]) => jsonType === type)?.[1] ?? type;
    expect(text).toContain(`${description} ${field(name, own, isRequired ? '' : ',omitempty')}`);
    if (required) expect(text.includes(required(name, type))).toBe(isRequired);
  });
});

test.each(ERROR_CODES)('the type of the TypeScript client has the code %s', (code) => {
  expect(read('clients/typescript/result.ts')).toContain(`\n  | '${code}'`);
});

/** The SHA-256, in 64 hex digits, of a value as JSON. */
const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

const { info, ...rest } = contract;
const { version, ...words } = info;

test('a changed contract has a new version', () => {
  const advice = 'Change the version as CONTRIBUTING.md says, and store both here';
  expect({ version, digest: digestOf([words, rest]) }, advice).toEqual({
    version: '1.0.0',
    digest: 'f176a16f7c0d49875ae3c384995745c83ec0666f1202920be0e05d409b5e74c5',
  });
});

test('a contract with another form has a new first or second number', () => {
  const WORDS = ['description', 'summary', 'example'];
  // The examples of errors are named after their codes.
  const form = JSON.parse(JSON.stringify(rest), (name, value) =>
    name === 'examples' ? Object.keys(value) : WORDS.includes(name) ? undefined : value,
  );
  const numbers = version.slice(0, version.lastIndexOf('.'));
  const advice = 'Change the first or second number of the version, and store both here';
  expect({ numbers, digest: digestOf(form) }, advice).toEqual({
    numbers: '1.0',
    digest: '823e9719d2aeb2cc66936406f901215ad1c8d4e3041f468187ca36fb8d9f65e2',
  });
});

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
