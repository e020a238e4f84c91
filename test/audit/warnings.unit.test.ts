import { expect, test } from 'vitest';
import { newState } from '../../admin/audit/audit.ts';
import { emptyTally, type Tally } from '../../admin/audit/findings.ts';
import { warningsOf } from '../../admin/audit/summary.ts';

const state = (documents: number, findings: Tally, accounts: number | null = null) => ({
  ...newState(),
  ...{ documents, accounts },
  findings: { ...emptyTally(), ...findings },
});

test.each([
  ['a fifth of the documents', state(100, { missing_on_chain: 20 }), []],
  ['more than a fifth', state(100, { missing_on_chain: 21 }), ['missing_on_chain']],
  ['all of 20 documents', state(20, { missing_on_chain: 20 }), []],
  ['20 of 21 documents', state(21, { missing_on_chain: 20 }), ['missing_on_chain']],
  ['two kinds', state(100, { duplicate: 30, unreadable: 30 }), ['unreadable', 'duplicate']],
  ['a small share of each of two kinds', state(100, { duplicate: 15, unreadable: 15 }), []],
  ['a share of the accounts', state(1, { missing_in_mirror: 99 }, 100), ['missing_in_mirror']],
  ['no documents', state(0, {}), [undefined]],
])('%s', (_, audited, kinds) => {
  expect(warningsOf(audited).map(({ finding }) => finding)).toEqual(kinds);
});

test('a warning gives the number of findings and says what to check', () => {
  const [warning] = warningsOf(state(1_000, { missing_on_chain: 987 }));
  expect(warning).toEqual({
    code: 'many_of_one_kind',
    finding: 'missing_on_chain',
    message:
      'missing_on_chain for 987 of 1,000 documents: ' +
      'audit again with another --rpc before you delete anything.',
  });
});
