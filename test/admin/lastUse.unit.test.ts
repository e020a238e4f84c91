// Tests what `keys usage` says about the last use of a key.

import { expect, test } from 'vitest';
import { lastUse } from '../../admin/keys/usage.ts';

const SINCE = Date.parse('2026-11-01T00:00:00Z');
const USED = Date.parse('2026-11-20T09:30:00Z');

test.each([
  ['a use', USED, true, 'was last used at 2026-11-20 09:30 UTC'],
  [
    'a use, and lookups that were not counted',
    USED,
    false,
    'was last used at 2026-11-20 09:30 UTC',
  ],
  ['no use', undefined, true, 'has not been used since 2026-11-01 00:00 UTC'],
  ['lookups that were not counted', undefined, false, 'was refused in all counted lookups'],
])('%s', (_, lastUsedAt, isComplete, text) => {
  expect(lastUse(lastUsedAt, SINCE, isComplete)).toBe(text);
});
