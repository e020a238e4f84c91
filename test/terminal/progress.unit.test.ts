import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { formatBar, startProgress } from '../../admin/terminal/progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [0, 4, '[----------------------------------------]'],
  [1, 4, '[##########------------------------------]'],
  [4, 4, '[########################################]'],
  // Others may add or remove documents during the work.
  [5, 4, '[########################################]'],
  [0, 0, '[########################################]'],
])('the bar for %i of %i', (done, total, bar) => {
  expect(formatBar(done, total)).toBe(bar);
});

function written(isTTY: boolean) {
  let text = '';
  const output = { isTTY, write: (part: string) => (text += part) };
  return { progress: startProgress(2_000, 'tokens removed', output), text: () => text };
}

describe('on a terminal', () => {
  test('redraws the bar in place, prints notes above it, and ends with a line break', () => {
    const { progress, text } = written(true);
    progress.report(1_000, 'none left over');
    progress.note('One thing.');
    progress.end();
    const line = `${formatBar(1, 2)} 1,000 of 2,000 tokens removed, none left over`;
    expect(text()).toBe(`\r\x1b[K${line}\r\x1b[KOne thing.\n${line}\n`);
  });
});

describe('on other outputs', () => {
  test('prints a line every two seconds, and nothing for short work', () => {
    const { progress, text } = written(false);
    progress.report(1);
    expect(text()).toBe('');
    vi.advanceTimersByTime(2_000);
    progress.report(2);
    progress.report(3);
    progress.end();
    expect(text()).toBe('2 of 2,000 tokens removed\n');
  });
});
