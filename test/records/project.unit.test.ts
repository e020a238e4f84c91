import { expect, test } from 'vitest';
import { parseProject } from '../../records/project.ts';
import { BAD_PROJECTS, GOOD_PROJECTS } from './projects.ts';

test.each(GOOD_PROJECTS)('a project may be %s', (_, name) => {
  expect(parseProject(name)).toBe(name);
});

test.each(BAD_PROJECTS)('a project may not be %s', (_, name) => {
  expect(parseProject(name)).toBeUndefined();
});

test('the blanks around a name are not part of it', () => {
  expect(parseProject(' \tAcme DAO\n')).toBe('Acme DAO');
});

test('half a character is none', () => {
  expect(parseProject('Acme \ud83d')).toBeUndefined();
});
