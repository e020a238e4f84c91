import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeCause } from '../../functions/src/lookup/requestLog.ts';

test("a cause is described without the request's own values", () => {
  const error = Object.assign(new Error('no document apiKeys/abc for w.x in apiKeys/abc'), {
    code: 5,
  });
  const cause = describeCause(error, ['abc', 'w.x', undefined, '']);
  expect(cause).toMatchObject({ name: 'Error', code: 5 });
  expect(cause.stack).toContain(
    'no document apiKeys/[redacted] for [redacted] in apiKeys/[redacted]',
  );
  expect(cause.stack).toContain('requestLog.unit.test.ts');
});

const EMAIL = 'Jane+"votes"%@Bücher.example';

test.each([
  ['as it is', EMAIL, EMAIL],
  ['lower-cased', EMAIL, EMAIL.toLowerCase()],
  ['upper-cased', EMAIL, EMAIL.toUpperCase()],
  ['percent-encoded', EMAIL, encodeURIComponent(EMAIL)],
  ['percent-encoded in part', EMAIL, encodeURI(EMAIL)],
  ['percent-encoded in lower case', EMAIL, encodeURIComponent(EMAIL).toLowerCase()],
  ['percent-encoded twice', EMAIL, encodeURIComponent(encodeURIComponent(EMAIL))],
  ['as a query of a form', EMAIL, new URLSearchParams({ EMAIL }).toString().slice('EMAIL='.length)],
  ['as JSON text', EMAIL, JSON.stringify(EMAIL).slice(1, -1)],
  ['decoded', 'jane%2540x.example', 'jane@x.example'],
  ['decoded once', 'jane%2540x.example', 'jane%40x.example'],
  ['after what looks like an escape', 'abc123', '%abc123'],
  ['with an escape that cannot be decoded', '%E0%A4%A%40', '%E0%A4%A@'],
  ['with half a character', '\ud83d@x', '\ud83d@x'],
  ['of 16,000 characters', '%+('.repeat(5_400), '%+('.repeat(5_400)],
])('a value that a dependency repeats %s is redacted', (_form, secret, repeated) => {
  const error = Object.assign(new Error('x'), {
    name: repeated,
    code: repeated,
    stack: `<${repeated}>`,
  });
  const { name, code, stack } = describeCause(error, [secret]);
  for (const text of [name, code, stack]) expect(text).toMatch(/^<?%?\[redacted\]/);
  expect(stack).not.toContain(repeated);
});

test('a value of which each character is written in another form is redacted', () => {
  const percent = (character: string): string =>
    `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const form = fc.constantFrom<(character: string) => string>(
    (character) => character,
    (character) => character.toUpperCase(),
    percent,
    (character) => percent(character).replace('%', '%25'),
    (character) => JSON.stringify(character).slice(1, -1),
  );
  const character = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 });
  const written = fc.array(
    fc.tuple(
      character.filter((one) => one !== '%' && one !== '\\'),
      form,
    ),
    // Shorter, and it may stand within what another character is written as.
    { minLength: 8 },
  );
  fc.assert(
    fc.property(written, (characters) => {
      const value = characters.map(([one]) => one).join('');
      const text = characters.map(([one, write]) => write(one)).join('');
      const stack = describeCause({ toString: () => `<${text}>` }, [value]).stack;
      expect(stack.replaceAll('[redacted]', '')).toBe('<>');
    }),
  );
});

test('what only looks like a value stays', () => {
  const { stack } = describeCause(new Error('jane.x or jane@x2'), ['jane@x.y', 'a.b']);
  expect(stack).toContain('jane.x or jane@x2');
});

test('whatever is thrown can be described', () => {
  expect(describeCause('text', [])).toStrictEqual({
    name: 'string',
    code: undefined,
    stack: 'text',
  });
  expect(describeCause(undefined, [])).toMatchObject({ name: 'undefined' });
});
