import { expect, test } from 'vitest';
import { parseProject } from '../../records/project.ts';
import { BAD_PROJECTS, GOOD_PROJECTS } from './projects.ts';

test.each(GOOD_PROJECTS)('a project may be %s', (_, name) => {
  expect(parseProject(name)).toBe(name);
});

test.each(BAD_PROJECTS)('a project may not be %s', (_, name) => {
  expect(parseProject(name)).toBeUndefined();
});

test('blanks around a name are removed', () => {
  expect(parseProject(' \tAcme DAO\n')).toBe('Acme DAO');
});

test('half a surrogate pair is refused', () => {
  expect(parseProject('Acme \ud83d')).toBeUndefined();
});
