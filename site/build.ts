// Builds the documentation site: the documents for integrators as HTML and Markdown, the contract, and
// the clients.
//   npm run site              builds public/site, which Firebase Hosting serves
//   npm run site -- --local   adds the page about the local emulators, for `npm start`

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { KEY_SET_PATH, type PublicKeySet } from '../functions/src/signatures/publicKeySet.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../tools/sandbox/signingKey.ts';
import { buildClients, type ClientFile } from './clients.ts';
import { markdownFile, type Page, pageHtml } from './layout.ts';
import { PICTURES, renderMarkdown, siteMarkdown } from './markdown.ts';
import { referenceMarkdown } from './reference.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function documentPage(file: string, name: string, path: string, text = read(path)): Page {
  const { html, sections } = renderMarkdown(text, path);
  return { file, name, body: html, sections, markdown: siteMarkdown(text, path) };
}

function clientsPage(files: readonly ClientFile[]): Page {
  const path = 'docs/clients.md';
  const rows = files.map(
    ({ name, bytes, sha256 }) =>
      `| [${name}](clients/${name}) | ${bytes.toLocaleString('en')} bytes | \`${sha256}\` |`,
  );
  const table = ['| File | Size | SHA-256 |', '| --- | --- | --- |', ...rows].join('\n');
  return documentPage('clients.html', 'Clients', path, read(path).replace('<!-- files -->', table));
}

function referencePage(): Page {
  const { html, sections } = renderMarkdown(referenceMarkdown(), 'the contract');
  return { file: 'index.html', name: 'Reference', body: html, sections };
}

const KEY_SET = 'functions/src/signatures/publicKeys.json';

/** Writes the public keys to the path where verifiers fetch them. */
function writeKeySet(folder: string, set: PublicKeySet | string): void {
  const file = join(folder, KEY_SET_PATH);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof set === 'string' ? set : `${JSON.stringify(set, null, 2)}\n`);
}

/**
 * @param folder the target, which is emptied first
 * @param local whether to add the page about the local emulators
 */
export async function buildSite(folder: string, { local }: { local: boolean }): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = [
    referencePage(),
    documentPage('guide.html', 'Guide', 'docs/integrating.md'),
    clientsPage(buildClients(join(folder, 'clients'))),
    documentPage('changes.html', 'Changes', 'docs/changes.md'),
    documentPage('architecture.html', 'Architecture', 'docs/architecture.md'),
    // Only `npm start` serves the sandbox.
    ...(local ? [documentPage('sandbox.html', 'Sandbox', 'docs/sandbox.md')] : []),
  ];
  for (const page of pages) {
    const { file, markdown } = page;
    writeFileSync(join(folder, file), pageHtml(page, pages));
    if (markdown !== undefined) writeFileSync(join(folder, markdownFile(file)), markdown);
  }
  for (const picture of PICTURES) {
    copyFileSync(join(ROOT, 'docs/pictures', picture), join(folder, picture));
  }
  copyFileSync(join(ROOT, 'docs/openapi.json'), join(folder, 'openapi.json'));
  copyFileSync(join(ROOT, 'site/llms.txt'), join(folder, 'llms.txt'));
  writeKeySet(folder, local ? publicKeySetOf(DEMONSTRATION_SIGNING_KEY) : read(KEY_SET));
  copyFileSync(join(ROOT, 'site/site.css'), join(folder, 'site.css'));
  await build({
    entryPoints: [join(ROOT, 'site/browser/site.ts')],
    outdir: folder,
    minify: true,
    logLevel: 'warning',
  });
}

if (import.meta.main) {
  await buildSite(join(ROOT, 'public/site'), { local: process.argv.includes('--local') });
}
