// Tests the published contract with a validator, a client generator and a mock server. `npm run
// check` also reads it with Redocly.

import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CODES, ERRORS } from '../../functions/src/errors.ts';
import { errorExample, lookupExamples } from '../../site/contract/examples.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { generateClient, startMockServer } from './readers.ts';

const { byWallet } = lookupExamples();
/** A result that a later version may send, with another type, another status and other fields. */
const LATER_RESULT = {
  ...byWallet.value,
  hasFounded: true,
  attestations: byWallet.value.attestations.map((attestation) => ({
    ...attestation,
    attestationType: 5,
    status: 'finalized',
    weight: 1,
  })),
};

const HEADERS = { 'X-PoH-API-Key': DEMONSTRATION.key };
const folder = temporaryFolder();
let mock: Awaited<ReturnType<typeof startMockServer>>;
let client: Awaited<ReturnType<typeof generateClient>>;

beforeAll(async () => {
  mock = await startMockServer();
  client = await generateClient(mock.url, folder);
}, 120_000);

afterAll(() => mock.stop());

const lookUp = (headers: Record<string, string> = {}) =>
  client.lookUp({ wallet: DEMONSTRATION.wallet }, { headers: { ...HEADERS, ...headers } });

test('swagger-parser finds it valid', async () => {
  const contract = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  const { info } = await SwaggerParser.validate(JSON.parse(contract));
  expect(info.title).toBe('Proof-of-Humanity attestations');
});

describe("orval's checks", () => {
  test.each(Object.entries(lookupExamples()))('accept the example %s', (_, { value }) => {
    expect(client.lookupResult.parse(value)).toEqual(value);
  });

  test('accept a type, a status and fields that are not known yet', () => {
    expect(client.lookupResult.safeParse(LATER_RESULT).error).toBeUndefined();
  });

  test('refuse a result without a promised field', () => {
    const { count: _, ...withoutCount } = byWallet.value;
    expect(client.lookupResult.safeParse(withoutCount).success).toBe(false);
  });
});

describe("orval's client with Prism's server", () => {
  test('a lookup returns an example', async () => {
    const { status, data, headers } = await lookUp();
    expect([status, data]).toEqual([200, byWallet.value]);
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each(ERROR_CODES)('%s returns its example', async (code) => {
    const { status } = ERRORS[code];
    const response = await lookUp({ Prefer: `code=${status}, example=${code}` });
    expect([response.status, response.data]).toEqual([status, errorExample(code)]);
  });

  test.each([429, 502, 503, 504])("the platform's %i has no error code", async (code) => {
    const { status, data } = await lookUp({ Prefer: `code=${code}` });
    expect(status).toBe(code);
    expect(data).not.toHaveProperty('code');
  });
});
