// Compares the derivation with vectors of another implementation, which the file names.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { attestationAddress } from '../../admin/chain/accounts.ts';

const vector = z.object({
  title: z.string(),
  program: z.string(),
  holder: z.string(),
  attestationType: z.int(),
  contextHashHex: z.string(),
  address: z.string(),
});
const { vectors } = z
  .object({ vectors: z.array(vector).min(8) })
  .parse(JSON.parse(readFileSync(new URL('attestationAddress.json', import.meta.url), 'utf8')));

test.each(vectors)('$title', ({ program, holder, attestationType, contextHashHex, address }) => {
  expect(attestationAddress(program, holder, attestationType, contextHashHex)).toBe(address);
});

test('a context hash may have upper and lower case', () => {
  const hash = randomBytes(32).toString('hex');
  const [program, holder] = [bs58.encode(randomBytes(32)), bs58.encode(randomBytes(32))];
  expect(attestationAddress(program, holder, 1, hash.toUpperCase())).toBe(
    attestationAddress(program, holder, 1, hash),
  );
});
