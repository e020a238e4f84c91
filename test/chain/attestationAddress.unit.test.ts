// Compares the derivation with vectors of another implementation, which the file names.

import { readFileSync } from 'node:fs';
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
