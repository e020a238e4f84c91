// Compares CONTRIBUTING.md's table of folders with the imports.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const codeOf = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

/** The folders that each folder may import from; undefined if there is no limit. */
const FOLDERS = new Map(
  (readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split('\n## Folders\n')[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, folders = '', , imports = ''] = line.split(/(?<!\\)\|/);
      const allowed = codeOf(imports);
      return codeOf(folders).map(
        (folder) => [folder, imports.trim() === 'any' ? undefined : allowed] as const,
      );
    }),
);

const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) => file.includes('/') && !file.startsWith('docs/') && existsSync(join(ROOT, file)),
  );

const folderOf = (file: string): string => file.split('/')[0] ?? '';

const importsOf = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from |import\(|import )'([^']+)'/g)].map(
    ([, specifier = '']) =>
      specifier.startsWith('.') ? normalize(join(file, '..', specifier)) : specifier,
  );

/** The parts of the function. Each may import only later ones. */
const FUNCTION = [
  'index.ts',
  'server',
  'signing',
  'lookup',
  'google',
  'signatures',
  'timeLimits.ts',
];

/** The parts of the command line, and the parts that each may import. */
const ADMIN: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['program.ts'],
  'program.ts': [
    'admins',
    'audit',
    'frame',
    'keys',
    'repair',
    'signing',
    'smoke',
    'terminal',
    'tokens',
    'users',
  ],
  keys: ['admins', 'frame', 'terminal'],
  repair: ['audit', 'chain', 'frame', 'terminal'],
  users: ['tokens', 'frame', 'terminal'],
  admins: ['frame', 'terminal'],
  audit: ['chain', 'frame', 'terminal'],
  chain: ['terminal'],
  terminal: [],
  signing: ['frame', 'terminal'],
  smoke: ['signing', 'frame', 'terminal'],
  tokens: ['frame', 'terminal'],
  frame: ['terminal'],
};

describe('folders', () => {
  test('imports within the function go in one direction', () => {
    const partOf = (file: string): number => FUNCTION.indexOf(file.split('/')[2] ?? '');
    const files = FILES.filter((file) => file.startsWith('functions/src/'));
    expect(files.filter((file) => partOf(file) < 0)).toEqual([]);
    const backward = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('functions/src/') && partOf(target) < partOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    expect(backward).toEqual([]);
  });

  test.each(FILES.filter((file) => folderOf(file) === 'admin'))(
    '%s is in a part of the command line, and imports only what its part may',
    (file) => {
      const partOf = (path: string): string => path.split('/')[1] ?? '';
      const part = partOf(file);
      expect(Object.keys(ADMIN)).toContain(part);
      const foreign = importsOf(file)
        .filter((target) => folderOf(target) === 'admin' && partOf(target) !== part)
        .filter((target) => !ADMIN[part]?.includes(partOf(target)));
      expect(foreign).toEqual([]);
    },
  );

  test.each(FILES)('%s is in a folder, and imports only what its folder may', (file) => {
    const folder = folderOf(file);
    expect([...FOLDERS.keys()]).toContain(folder);
    const allowed = FOLDERS.get(folder);
    const foreign = importsOf(file)
      .filter((target) => target.includes('/') && existsSync(join(ROOT, target)))
      .filter(
        (target) => folderOf(target) !== folder && allowed && !allowed.includes(folderOf(target)),
      );
    expect(foreign).toEqual([]);
  });

  test.each(FILES.filter((file) => folderOf(file) === 'records'))(
    '%s runs in a browser',
    (file) => {
      const packages = importsOf(file).filter((target) => !target.startsWith('records/'));
      expect([
        'zod/v4/core',
        'bs58',
        'bs58check',
        '@noble/hashes/sha2.js',
        '@noble/hashes/utils.js',
      ]).toEqual(expect.arrayContaining(packages));
    },
  );
});
