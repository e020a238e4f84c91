import { expect, test } from 'vitest';
import { newKeyRecord } from '../../records/apiKey.ts';
import { comparable, parseProject } from '../../records/project.ts';
import { BAD_PROJECTS, DECOMPOSED_PROJECTS, GOOD_PROJECTS, TYPED_PROJECTS } from './projects.ts';

test.each(GOOD_PROJECTS)('a project may be %s', (_, name) => {
  expect(parseProject(name)).toBe(name);
});

test.each(BAD_PROJECTS)('a project may not be %s', (_, name) => {
  expect(parseProject(name)).toBeUndefined();
});

test.each([...TYPED_PROJECTS, ...DECOMPOSED_PROJECTS])(
  'a name with %s gets its normal form',
  (_, typed, stored) => {
    expect(parseProject(typed)).toBe(stored);
    expect(parseProject(stored)).toBe(stored);
    expect(comparable(typed)).toBe(stored.toLowerCase());
  },
);

test('half a surrogate pair is refused', () => {
  expect(parseProject('Acme \ud83d')).toBeUndefined();
});

test('a new record has its names in their normal form', () => {
  const details = { contact: 'Acme\u00a0DAO' };
  expect(newKeyRecord('key', 'Cafe\u0301  DAO', 0, 'cli', details)).toMatchObject({
    project: 'Café DAO',
    contact: 'Acme DAO',
  });
});
