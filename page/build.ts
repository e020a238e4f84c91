// Builds the site into a folder: the documents for integrators as pages, the contract, the client.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { DEMONSTRATION } from '../sandbox/demonstrationData.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../sandbox/signingKey.ts';
import { KEY_SET_PATH, type PublicKeySet } from '../signatures/publicKeySet.ts';
import { type Page, pageHtml } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { referenceMarkdown } from './reference.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function documentPage(file: string, name: string, path: string): Page {
  const { html, sections } = renderMarkdown(read(path), path);
  return { file, name, body: html, sections };
}

function referencePage(): Page {
  const text = referenceMarkdown(JSON.parse(read('docs/openapi.json')));
  const { html, sections } = renderMarkdown(text, 'the contract');
  return { file: 'index.html', name: 'Reference', body: html, sections };
}

/** Pages that are useful only with the repository. */
const localPages = (): Page[] => [
  documentPage('sandbox.html', 'Sandbox', 'docs/sandbox.md'),
  { file: 'try.html', name: 'Try a lookup', body: read('page/try.html'), script: 'try.js' },
];

const KEY_SET = 'signatures/publicKeys.json';

/** Writes the public keys to the path where verifiers fetch them. */
function writeKeySet(folder: string, set: PublicKeySet | string): void {
  const file = join(folder, KEY_SET_PATH);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof set === 'string' ? set : `${JSON.stringify(set, null, 2)}\n`);
}

/**
 * @param folder is emptied first
 * @param local whether the pages are added that are about the local emulators
 */
export async function buildSite(folder: string, { local }: { local: boolean }): Promise<void> {
  const pages = [
    referencePage(),
    documentPage('guide.html', 'Guide', 'docs/integrating.md'),
    documentPage('changes.html', 'Changes', 'docs/changes.md'),
    ...(local ? localPages() : []),
  ];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const page of pages) writeFileSync(join(folder, page.file), pageHtml(page, pages));
  for (const name of ['openapi.json', 'attestationsClient.ts']) {
    copyFileSync(join(ROOT, 'docs', name), join(folder, name));
  }
  writeKeySet(folder, local ? publicKeySetOf(DEMONSTRATION_SIGNING_KEY) : read(KEY_SET));
  copyFileSync(join(ROOT, 'page/site.css'), join(folder, 'site.css'));
  await build({
    entryPoints: [join(ROOT, 'page/site.ts'), ...(local ? [join(ROOT, 'page/try.ts')] : [])],
    outdir: folder,
    minify: true,
    define: { DEMONSTRATION: JSON.stringify(DEMONSTRATION) },
    logLevel: 'warning',
  });
}
