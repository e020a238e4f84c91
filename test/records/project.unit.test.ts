import { expect, test } from 'vitest';
import { parseStoredKey } from '../../records/apiKey.ts';
import { activeKeyOf } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, comparable, parseProject } from '../../records/project.ts';
import { BAD_NAMES, GOOD_NAMES } from './names.ts';

test('a name is one line of 1 to 100 characters, in NFC and without blanks around it', () => {
  expect(GOOD_NAMES.map((name) => parseProject(name))).toEqual(GOOD_NAMES);
  expect(BAD_NAMES.filter(([, name]) => parseProject(name) !== undefined)).toEqual([]);
  expect(parseProject(' \tCafe\u0301 DAO\n')).toBe('Café DAO');
  expect(parseProject('half a pair \ud83d')).toBeUndefined();
  expect(CONTACT_RULE).toMatch(/^Give the contact in 1 to 100 characters on one line, without /);
  expect(comparable(' CAFE\u0301\u00a0 Dao')).toBe('café dao');
});

test('a key without a project is not taken for that of a name that is not typed yet', () => {
  const keyOf = (project?: string) => parseStoredKey('ab'.repeat(32), { active: true, project });
  expect(activeKeyOf([keyOf(), keyOf(''), keyOf('Acme')], ' ', 0)).toBeUndefined();
  expect(activeKeyOf([keyOf(), keyOf('Acme')], 'ACME', 0)?.project).toBe('Acme');
});
