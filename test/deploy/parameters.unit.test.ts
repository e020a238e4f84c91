import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { declaredParams } from 'firebase-functions/params';
import { expect, test } from 'vitest';
import { pohAttestationsEndpoint } from '../../functions/src/index.ts';

const values = parseEnv(readFileSync(new URL('../../.env', import.meta.url), 'utf8'));

const declared = Object.fromEntries(
  // A secret has no default, and its value is not in a file.
  declaredParams.flatMap(({ name, options }) =>
    'default' in options ? [[name, String(options.default)]] : [],
  ),
);

// A deploy without a terminal stops at a parameter without a value, whatever its default.
test('each deploy parameter has a value, so that a deploy does not prompt', () => {
  expect(Object.keys(values).sort()).toEqual(Object.keys(declared).sort());
});

const { serviceAccountEmail, region, maxInstances } = pohAttestationsEndpoint.__endpoint;

test.each([
  ['LOOKUP_REGION', 'us-central1', "the region of the emulators' addresses", String(region)],
  ['LOOKUP_SERVICE_ACCOUNT', '', "the platform's default account", String(serviceAccountEmail)],
  ['LOOKUP_MAX_INSTANCES', '10', 'the cap that docs/capacity.md prices', String(maxInstances)],
])('%s is %j as delivered: %s', (name, delivered, _meaning, used) => {
  expect(values[name]).toBe(delivered);
  expect(declared[name]).toBe(delivered);
  expect(used).toBe(`params.${name}`);
});
