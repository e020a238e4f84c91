import { expect, test } from 'vitest';
import { describeCause } from '../../functions/src/requestLog.ts';

test("a cause is described without the request's own values", () => {
  const error = Object.assign(new Error('no document apiKeys/abc for w.x in apiKeys/abc'), {
    code: 5,
  });
  const cause = describeCause(error, ['abc', 'w.x', undefined, '']);
  expect(cause).toMatchObject({ name: 'Error', code: 5 });
  expect(cause.stack).toContain(
    'no document apiKeys/[redacted] for [redacted] in apiKeys/[redacted]',
  );
  expect(cause.stack).toContain('requestLog.test.ts');
});

test('whatever is thrown can be described', () => {
  expect(describeCause('text', [])).toStrictEqual({
    name: 'string',
    code: undefined,
    stack: 'text',
  });
  expect(describeCause(undefined, [])).toMatchObject({ name: 'undefined' });
});
