// Compares docs/audit.md with the code.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AUDIT_REFUSALS } from '../../admin/audit/failures.ts';
import { AUDIT_STATUS, FINDING_KINDS } from '../../admin/audit/findings.ts';
import { CHAIN_FAILURES } from '../../admin/chain/chainFailure.ts';
import { DEFAULT_LIMITS } from '../../admin/chain/rpc.ts';

const text = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| '));

test.each(Object.keys(FINDING_KINDS))('says what to do about %s', (kind) => {
  expect(rows.filter((row) => row.startsWith(`| \`${kind}\` `))).toHaveLength(1);
});

test.each(Object.values(AUDIT_STATUS))('says what exit status %i means', (status) => {
  expect(rows.filter((row) => row.startsWith(`| ${status} `))).toHaveLength(1);
});

test.each([...Object.keys(CHAIN_FAILURES), ...AUDIT_REFUSALS])('names the failure %s', (code) => {
  expect(text).toContain(`\`${code}\``);
});

test('states the actual time-out and pauses', () => {
  const flowing = text.replaceAll('\n', ' ');
  const { timeoutMs, maxAttempts, initialBackoffMs, maxBackoffMs } = DEFAULT_LIMITS;
  const lastWait = (initialBackoffMs * 2 ** (maxAttempts - 2)) / 1000;
  expect(maxAttempts).toBe(6);
  expect(flowing).toContain(`a time-out (${timeoutMs / 1000} seconds)`);
  expect(flowing).toContain(
    `six times with waits of ${initialBackoffMs / 1000} to ${lastWait} seconds`,
  );
  expect(flowing).toContain(`(${maxBackoffMs / 1000} seconds at most)`);
});
