import { expect, test } from 'vitest';
import { comparable, parseProject } from '../../records/project.ts';
import { BAD_NAMES, GOOD_NAMES } from './names.ts';

test('a name is one line of 1 to 100 characters, in NFC and without blanks around it', () => {
  expect(GOOD_NAMES.map((name) => parseProject(name))).toEqual(GOOD_NAMES);
  expect(BAD_NAMES.filter(([, name]) => parseProject(name) !== undefined)).toEqual([]);
  expect(parseProject(' \tCafe\u0301 DAO\n')).toBe('Café DAO');
  expect(parseProject('half a pair \ud83d')).toBeUndefined();
  expect(comparable(' CAFE\u0301\u00a0 Dao')).toBe('café dao');
});
