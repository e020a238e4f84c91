import { expect, test } from 'vitest';
import { formatBar } from '../../admin/progressBar.ts';

test.each([
  [0, 4, '[----------------------------------------] 0 of 4'],
  [1, 4, '[##########------------------------------] 1 of 4'],
  [4, 4, '[########################################] 4 of 4'],
  // What somebody else added or removed meanwhile.
  [5, 4, '[########################################] 5 of 4'],
])('%i of %i', (done, total, bar) => {
  expect(formatBar(done, total)).toBe(bar);
});
