import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { declaredParams } from 'firebase-functions/params';
import { expect, test } from 'vitest';
import { pohAttestationsEndpoint } from '../../functions/src/index.ts';

const values = parseEnv(readFileSync(new URL('../../.env', import.meta.url), 'utf8'));

// A deploy without a terminal stops at a parameter without a value, whatever its default.
test('each deploy parameter has a value, so that a deploy asks nothing', () => {
  expect(Object.keys(values)).toEqual(declaredParams.map(({ name }) => name));
});

test("left as it is, the function runs as the platform's default account", () => {
  expect(values['LOOKUP_SERVICE_ACCOUNT']).toBe('');
  expect(String(pohAttestationsEndpoint.__endpoint.serviceAccountEmail)).toBe(
    'params.LOOKUP_SERVICE_ACCOUNT',
  );
});
