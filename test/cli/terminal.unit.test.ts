// Tests how text, tables, JSON and progress are shown on a terminal.

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Failure, runScript, usageFailure } from '../../cli/terminal/failure.ts';
import { startProgress } from '../../cli/terminal/progress.ts';
import { escapeForTerminal, formatTable, safeJson } from '../../cli/terminal/table.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers().restoreAllMocks();
});

test.each([
  [true, '\r\x1b[K1,000 of 2,000 tokens\r\x1b[KOne thing.\n1,000 of 2,000 tokens\r\x1b[K3 of'],
  [false, 'One thing.\n3 of 2,000 tokens, 1 left over\n'],
])('progress is shown in place on a terminal (%s), else every two seconds', (isTTY, expected) => {
  let text = '';
  const progress = startProgress(2_000, 'tokens', { isTTY, write: (part) => (text += part) });
  progress.report(1_000);
  progress.note('One thing.');
  vi.advanceTimersByTime(2_000);
  progress.report(3, '1 left over');
  progress[Symbol.dispose]();
  expect(text.startsWith(expected)).toBe(true);
  expect(text.endsWith('1 left over\n')).toBe(true);
});

test.each([
  [new Failure('x'), 1],
  [usageFailure('x'), 2],
])('a script that fails prints why, and exits with a status: %s', async (failure, status) => {
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  await runScript(() => Promise.reject(failure));
  expect([printed.mock.lastCall, process.exitCode]).toEqual([['x'], status]);
});

test('columns are aligned with wide, narrow and combining characters', () => {
  const rows = [
    ['統合', '1'],
    ['e\u0301te\u0301', '2'],
    ['👨‍👩‍👧', '3'],
    ['abcde', '4'],
  ];
  expect(formatTable(['NAME', 'AGE'], rows)).toEqual([
    'NAME   AGE',
    '統合   1',
    'e\u0301te\u0301    2',
    '👨‍👩‍👧     3',
    'abcde  4',
  ]);
});

test('a table may have more rows than a function may have arguments', () => {
  const rows = Array.from({ length: 200_000 }, () => ['a', 'b']);
  expect(formatTable(['NAME', 'AGE'], rows)).toHaveLength(200_001);
});

test('the last column is wrapped between words, and a long word in itself', () => {
  const rows = [['1', `The Long and Winding DAO (${'ops'.repeat(6)}@example.com)`]];
  expect(formatTable(['ID', 'NAME'], rows, 24)).toEqual([
    'ID  NAME',
    '1   The Long and Winding',
    '    DAO (',
    `    ${'ops'.repeat(6)}@`,
    '    example.com)',
  ]);
});

test.each([
  ['letters of any script', 'Ünïon 統合 אגודה اتحاد', 'Ünïon 統合 אגודה اتحاد'],
  ['an emoji of several characters', '👨‍👩‍👧 ✌️', '👨‍👩‍👧 ✌️'],
  ['a control sequence', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
  ['a line break', 'a\r\nb\u2028c', 'a\\u{d}\\u{a}b\\u{2028}c'],
  ['a change of the text direction', 'a\u202eb\u2067c', 'a\\u{202e}b\\u{2067}c'],
  ['invisible characters', 'a\u200bb\ufeffc\u{e0041}', 'a\\u{200b}b\\u{feff}c\\u{e0041}'],
  ['half of a surrogate pair', 'a\ud800b', 'a\\u{d800}b'],
  ['text that looks escaped', 'a\\u{202e}', 'a\\\\u{202e}'],
])('%s', (_, text, shown) => {
  expect(escapeForTerminal(text)).toBe(shown);
});

test.each([
  ['a name', 'Acme "DAO" 統合 👨‍👩‍👧', '"Acme \\"DAO\\" 統合 👨‍👩‍👧"'],
  ['a control sequence of C1', 'a\u009b2Jb', String.raw`"a\u009b2Jb"`],
  ['a change of the text direction', 'a\u202eb', String.raw`"a\u202eb"`],
  ['an invisible character that is a surrogate pair', 'a\u{e0041}', String.raw`"a\udb40\udc41"`],
])('as JSON: %s', (_, text, shown) => {
  expect(safeJson(text)).toBe(shown);
  expect(JSON.parse(safeJson(text))).toBe(text);
});
