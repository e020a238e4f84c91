// Compares CONTRIBUTING.md's table of folders with the imports.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

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

/** The files of code, but no build output. Hidden folders and files at the root are left out. */
const FILES = globSync('*/**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: ['node_modules', 'public', 'docs', '**/lib'],
});

interface Import {
  readonly file: string;
  /** A path from the root, or a package. */
  readonly target: string;
}

const IMPORTS: readonly Import[] = FILES.flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from |import\(|import )'([^']+)'/g)].map(
    ([, specifier = '']) => ({
      file,
      target: specifier.startsWith('.') ? normalize(join(file, '..', specifier)) : specifier,
    }),
  ),
);

/** The imports of our own files. */
const OWN = IMPORTS.filter(({ target }) => target.includes('/') && existsSync(join(ROOT, target)));

const folderOf = (path: string): string => path.split('/')[0] ?? '';
const show = ({ file, target }: Import): string => `${file} imports ${target}`;

/** The files and folders of the function and of the command line. Each may import only later ones. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'functions/src/': [
    ...[
      'index.ts',
      'server.ts',
      'lookup.ts',
      'admission.ts',
      'attestations.ts',
      'subject.ts',
      'requestLog.ts',
    ],
    ...['errors.ts', 'google', 'signatures', 'timeLimits.ts'],
  ],
  'cli/': [
    ...['main.ts', 'program.ts', 'smoke', 'signing', 'users', 'tokens', 'keys', 'admins'],
    ...['audit', 'chain', 'frame', 'terminal'],
  ],
};

test('every file is in a folder of the table, and imports only what its folder may', () => {
  expect(OWN.length).toBeGreaterThan(500);
  expect([...FOLDERS.keys()]).toEqual(expect.arrayContaining(FILES.map(folderOf)));
  const foreign = OWN.filter(({ file, target }) => {
    const [folder, other] = [folderOf(file), folderOf(target)];
    return folder !== other && FOLDERS.get(folder)?.includes(other) === false;
  });
  expect(foreign.map(show)).toEqual([]);
});

test.each(Object.entries(PARTS))('imports within %s go in one direction', (root, parts) => {
  const partOf = (path: string): number =>
    parts.indexOf(path.slice(root.length).split('/')[0] ?? '');
  const isInside = (path: string): boolean => path.startsWith(root);
  expect(FILES.filter((file) => isInside(file) && partOf(file) < 0)).toEqual([]);
  const backward = OWN.filter(
    ({ file, target }) => isInside(file) && isInside(target) && partOf(target) < partOf(file),
  );
  expect(backward.map(show)).toEqual([]);
});

test('the stored records run in a browser', () => {
  const allowed = [
    'zod/v4/core',
    'bs58',
    'bs58check',
    '@noble/curves/ed25519.js',
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
  ];
  const foreign = IMPORTS.filter(
    ({ file, target }) =>
      folderOf(file) === 'records' && folderOf(target) !== 'records' && !allowed.includes(target),
  );
  expect(foreign.map(show)).toEqual([]);
});
