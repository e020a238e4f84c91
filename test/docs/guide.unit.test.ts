// Compares docs/sandbox.md with the demonstration data, and the guide with the errors.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../functions/src/lookup/errors.ts';
import { DEMONSTRATION_PROGRAM } from '../../sandbox/attestationRecord.ts';
import { DEMONSTRATION } from '../../sandbox/demonstrationData.ts';
import { CHAIN_PORT, SITE_PORT } from '../../sandbox/emulatorAddresses.ts';
import { testSubjectsTable } from '../guide/testSubjects.ts';

const SANDBOX = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

test('the sandbox names every test subject', () => {
  expect(SANDBOX).toContain(`\n${testSubjectsTable()}\n`);
});

test.each([
  ['POH_URL', `http://127.0.0.1:${SITE_PORT}`],
  ['POH_KEY', DEMONSTRATION.key],
  ['TOKEN', DEMONSTRATION.token],
  ['WALLET', DEMONSTRATION.wallet],
  ['PROPOSAL', DEMONSTRATION.proposal],
  ['NULLIFIER_HASH', DEMONSTRATION.nullifierHash],
  ['POH_PROGRAM', DEMONSTRATION_PROGRAM],
  ['SOLANA_RPC_URL', `http://127.0.0.1:${CHAIN_PORT}`],
])('the sandbox exports %s', (name, value) => {
  expect(SANDBOX).toContain(`export ${name}=${value}\n`);
});

test('the guide says what to do about every error', () => {
  const guide = readFileSync(new URL('../../docs/integrating.md', import.meta.url), 'utf8');
  const table = guide.split('\n| `code` | What to do |\n')[1]?.split('\n\n')[0] ?? '';
  const codes = [...table.matchAll(/`(\w+_\w+|unauthorized|internal)`/g)].map(([, code]) => code);
  expect(codes.toSorted()).toEqual([...ERROR_CODES].sort());
});
