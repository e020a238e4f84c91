import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import {
  cacheContent,
  cachePath,
  FILE_BEGIN,
  FILE_END,
} from '../../functions/src/startup/codeCache.ts';

const BUILT = resolve(import.meta.dirname, '../../functions/lib');

/** A file of our own, whose source is always as long. */
function writeFile(word: 'one' | 'two'): string {
  const file = join(mkdtempSync(join(tmpdir(), 'code-')), 'file.cjs');
  overwrite(file, word);
  return file;
}

function overwrite(file: string, word: 'one' | 'two'): void {
  const source = `exports.word=()=>'${word}';exports.again=()=>require('./other.cjs').word`;
  writeFileSync(file, FILE_BEGIN + source + FILE_END);
  const other = `exports.word='${word}'`;
  writeFileSync(join(file, '../other.cjs'), FILE_BEGIN + other + FILE_END);
}

/** Says what the file does, and what V8 made of its cache; stores a cache on demand. */
const LOADER = `
  import { writeFileSync } from 'node:fs';
  import { cacheContent, cachePath, loadBundled } from '${import.meta.dirname}/../../functions/src/startup/codeCache.ts';
  const [file, write] = process.argv.slice(1);
  const scripts = new Map();
  const loaded = loadBundled(file, (each, script) => scripts.set(each, script));
  const words = [loaded.word(), loaded.again(), loaded.again()];
  const script = scripts.get(file);
  if (write) writeFileSync(cachePath(file), cacheContent(file, script.createCachedData()));
  console.log(JSON.stringify({ words, files: scripts.size, rejected: script.cachedDataRejected }));
`;

/** Loads the file in a process of its own, since V8 remembers what it has compiled in this one. */
function load(file: string, write = ''): { words: string[]; files: number; rejected?: boolean } {
  const words = ['--input-type=module', '-e', LOADER, file, write];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

const withByte = (buffer: Buffer, at: number): Buffer =>
  Buffer.from(buffer.map((byte, index) => (index === at ? byte ^ 1 : byte)));

test.each<{ cache: string; change: (file: string, cache: Buffer) => Buffer; rejected?: boolean }>([
  { cache: 'its own', change: (_, cache) => cache, rejected: false },
  {
    cache: 'another Node’s',
    // V8's own header: a magic number, then its version.
    change: (file, cache) => cacheContent(file, withByte(cache.subarray(8), 4)),
    rejected: true,
  },
  // These are not given to V8 at all.
  { cache: 'an empty', change: () => Buffer.alloc(0) },
  { cache: 'a cut off', change: (_, cache) => cache.subarray(0, -1) },
  { cache: 'a damaged', change: (_, cache) => withByte(cache, cache.length - 9) },
])('with $cache cache a file does the same', ({ change, rejected }) => {
  const file = writeFile('one');
  const loaded = { words: ['one', 'one', 'one'], files: 2 };
  expect(load(file, 'write')).toEqual(loaded);
  writeFileSync(cachePath(file), change(file, readFileSync(cachePath(file))));
  expect(load(file)).toEqual({ ...loaded, rejected });
});

test('the cache of another source is not given to V8, which would run it', () => {
  const file = writeFile('one');
  load(file, 'write');
  overwrite(file, 'two');
  expect(load(file)).toEqual({ words: ['two', 'two', 'two'], files: 2 });
});

const startBuilt = (...flags: string[]): string =>
  execFileSync(
    process.execPath,
    [...flags, '-p', 'typeof require("./index.cjs").pohAttestationsEndpoint'],
    { cwd: BUILT, encoding: 'utf8', env: { GCLOUD_PROJECT: 'demo-poh' } },
  );

test('the built function has a cache, which the Node that made it takes', () => {
  expect(readdirSync(BUILT).filter((name) => name.endsWith('.cache'))).toEqual([
    'googleLibraries.cjs.cache',
    'lookup.cjs.cache',
  ]);
  for (const name of ['googleLibraries.cjs', 'lookup.cjs']) {
    const file = join(BUILT, name);
    const stored = readFileSync(cachePath(file));
    expect(stored.equals(cacheContent(file, stored.subarray(8)))).toBe(true);
  }
  expect(startBuilt()).toBe('function\n');
});

test('with other flags the built function starts without its cache, and says so', () => {
  const lines = startBuilt('--no-opt').trim().split('\n');
  expect(lines.at(-1)).toBe('function');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    severity: 'INFO',
    message: expect.stringContaining('was made by another Node, or with other flags'),
  });
});
