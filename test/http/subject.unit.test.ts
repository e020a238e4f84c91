import { describe, expect, test } from 'vitest';
import { ApiError } from '../../functions/src/lookup/errors.ts';
import { parseSubject } from '../../functions/src/lookup/subject.ts';

describe('parseSubject', () => {
  test.each([
    ['wallet=a', 'wallet', 'a'],
    ['email=a', 'email', 'a'],
    ['token=a', 'token', 'a'],
    ['token=c&email=b&wallet=a', 'wallet', 'a'],
    ['token=c&email=b&wallet=', 'email', 'b'],
    ['email=a+b@example.com', 'email', 'a+b@example.com'],
    ['email=a%2Bb%40example.com', 'email', 'a+b@example.com'],
    ['wallet[]=x&wallet[y]=z&wallet=a', 'wallet', 'a'],
    ['wallet=%E0%A4%A', 'wallet', '\ufffd%A'],
    ['wallet=a?b=c', 'wallet', 'a?b=c'],
  ])('%s', (query, mode, value) => {
    expect(parseSubject(query)).toStrictEqual({ mode, value });
  });

  test.each([
    ['', 'missing_subject'],
    ['wallet=&email=&token=', 'missing_subject'],
    ['wallet', 'missing_subject'],
    ['WALLET=a', 'missing_subject'],
    ['wallet=a&wallet=a', 'repeated_parameter'],
    ['wallet=a&token=b&token=c', 'repeated_parameter'],
    ['wallet=&wallet=', 'repeated_parameter'],
    ['%77allet=a&wallet=b', 'repeated_parameter'],
  ] as const)('%s is refused as %s', (query, code) => {
    expect(() => parseSubject(query)).toThrow(new ApiError(code));
  });
});
