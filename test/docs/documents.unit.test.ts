// Compares tables and versions of the documents with the code, and follows the documents' links and the paths that they name.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { AUDIT_STATUS } from '../../cli/audit/audit.ts';
import { FINDING_KINDS } from '../../cli/audit/findings.ts';
import manifest from '../../package.json' with { type: 'json' };
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { VERSION } from '../../site/openapi/document.ts';
import { commandsOf } from '../cli/adminCommand.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const DOCUMENTS = globSync('{*,docs/*}.md');

test('the audit is documented with every finding, and how it ends if it is incomplete', () => {
  const runbook = read('docs/runbook.md');
  expect(runbook).toContain(`**An incomplete audit exits with ${AUDIT_STATUS.unknown}**`);
  const firstCells = runbook.match(/^\| [^|]+(?= \|)/gm)?.join() ?? '';
  for (const kind of Object.keys(FINDING_KINDS)) expect(firstCells).toContain(`\`${kind}\``);
});

test.each(commandsOf())('%s is run by a test, and documented', (name) => {
  // These have only command lines that change nothing.
  const files = globSync('test/**/*.test.ts').filter(
    (file) => !/(usage\.unit|confirmation)\.test\.ts$/.test(file),
  );
  const run = new RegExp(`\\b${name.replace(' ', '\\W{1,6}')}\\b`);
  const isRun = files.some((file) => run.test(read(file).replaceAll(/^\s*\/\/.*$/gm, '')));
  expect(isRun, `Test the effect of \`${name}\` in test/cli`).toBe(true);
  const isDocumented = DOCUMENTS.some((file) => read(file).includes(name));
  expect(isDocumented, `Say in docs/administration.md what \`${name}\` is for`).toBe(true);
});

test('the changes begin with the newest version, and say what each one changes', () => {
  const changes = read('docs/changes.md');
  const versions = changes.match(/(?<=^## )\d+\.\d+\.\d+/gm) ?? [];
  const newestFirst = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true });
  expect(versions).toEqual(versions.toSorted(newestFirst));
  expect(versions[0]).toBe(VERSION);
  expect(changes.trimEnd()).not.toMatch(/^## .*(\n\n## |$(?!\n))/m);
});

const [, major] = /^\^(\d+)\./.exec(manifest.engines.node) ?? [];

test.each([
  ['deploy/image/Dockerfile', /^FROM node:(\d+)/gm],
  ['docs/deploy.md', /runs on Node (\d+)/g],
  ['README.md', /need Node (\d+)/g],
  ['package.json', /"(?:node-linux-\w+|@types\/node)": "(\d+)/g],
])('%s has the same major version of Node as engines', (file, pattern) => {
  const named = read(file).matchAll(pattern);
  expect(new Set([...named].map(([, version]) => version))).toEqual(new Set([major]));
});

test('secret scanners get the pattern of a key', () => {
  const texts = DOCUMENTS.map(read);
  expect(texts.join('\n')).toContain(`\n${API_KEY_PATTERN.source}\n`);
});

const PROMISES: Readonly<Record<string, readonly string[]>> = parse(read('test/promises.yaml'));

test('every promise of SECURITY.md has tests', () => {
  const [, promises = ''] = read('SECURITY.md').split(/^## /m).slice(1);
  const named = [...promises.matchAll(/^- \*\*(.+?)\.?\*\*/gm)].map(([, name]) => name);
  expect(Object.keys(PROMISES)).toEqual(named);
});

test.each(Object.entries(PROMISES))('the tests of the promise exist: %s', (_, tests) => {
  expect(tests.length).toBeGreaterThan(0);
  for (const each of tests) {
    const [file = '', title = ''] = each.split(' > ');
    expect(read(file)).toContain(title);
  }
});

/** The anchors of a document's headings, as GitHub derives them. */
const anchorsOf = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link leads to a file and a heading', () => {
  const broken = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, path = '', anchor]) => {
        const target = path === '' ? file : join(dirname(file), path);
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      })
      .map(([link]) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every path to a source file that a document names exists', () => {
  const missing = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|py|sh))`/g)]
      .filter(([, path]) => !existsSync(`${path}`) && !existsSync(`functions/src/${path}`))
      .map(([, path]) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});
