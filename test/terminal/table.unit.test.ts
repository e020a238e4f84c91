import { expect, test } from 'vitest';
import { clipColumns, formatTable } from '../../admin/terminal/table.ts';

test('columns are aligned with wide, narrow and combining characters', () => {
  expect(
    formatTable(
      ['NAME', 'AGE'],
      [
        ['統合', '1'],
        ['e\u0301te\u0301', '2'],
        ['👨‍👩‍👧', '3'],
        ['abcde', '4'],
      ],
    ),
  ).toBe(['NAME   AGE', '統合   1', 'e\u0301te\u0301    2', '👨‍👩‍👧     3', 'abcde  4'].join('\n'));
});

test.each([
  ['abcde', 5, 'abcde'],
  ['abcdef', 5, 'abcd…'],
  ['統合統合', 5, '統合…'],
  ['統合統合', 4, '統…'],
  ['a👨‍👩‍👧b', 3, 'a…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%s is clipped to %i columns', (text, columns, clipped) => {
  expect(clipColumns(text, columns)).toBe(clipped);
});
