// Builds the documentation site: the documents for integrators as HTML and Markdown, the contract, and
// the clients.
//   npm run site              builds public/site, which Firebase Hosting serves
//   npm run site -- --local   adds the page about the local emulators, for `npm start`

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { KEY_SET_PATH, type PublicKeySet } from '../functions/src/signatures/publicKeySet.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../tools/sandbox/signingKey.ts';
import { buildClients, type ClientFile } from './clients.ts';
import { openapiDocument } from './contract/document.ts';
import { type Edition, markdownFile, type Page, pageHtml } from './layout.ts';
import { PICTURES, renderMarkdown, SITE_ADDRESS, siteMarkdown } from './markdown.ts';
import { homeMarkdown, referenceMarkdown } from './reference.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A security.txt expires, because an old one may name the wrong contact. RFC 9116 recommends less than a year. */
const SECURITY_TXT_DAYS = 360;

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

/** SECURITY.md without its links to documents that are not on the site, and without the names of the tests. */
function securityPage(): Page {
  const text = read('SECURITY.md')
    .replaceAll(/\[([^\]]+)\]\(docs\/[^)]+\)/g, '$1')
    .replaceAll(/^(\|(?:\\\||[^|])*\|).*\|$/gm, '$1')
    .replace(', and the tests that check them', '');
  return documentPage('security.html', 'Security', 'SECURITY.md', text);
}

const generatedPage = (file: string, name: string, text: string): Page => {
  const { html, sections } = renderMarkdown(text, 'the contract');
  return { file, name, body: html, sections };
};

function homePage(): Page {
  const [, date = ''] = /^## [\d.]+, (\S+)$/m.exec(read('docs/changes.md')) ?? [];
  return generatedPage('index.html', openapiDocument().info.title, homeMarkdown(date));
}

const NOT_FOUND: Page = {
  file: '404.html',
  name: 'Page not found',
  body: '<h1>Page not found</h1>\n<p>Nothing is at this address. Choose a page above, or <a href="/">start at the beginning</a>.</p>\n',
};

const KEY_SET = 'functions/src/signatures/publicKeys.json';

/** The addresses of the platform's sites. */
interface Addresses {
  readonly site?: string | undefined;
  readonly console?: string | undefined;
}

/** Reads the addresses from .firebaserc, where `firebase target:apply` writes the names of the project's sites. */
function deployedAddresses(): Addresses {
  const { targets } = JSON.parse(read('.firebaserc'));
  // firebase-tools sets the variable for commands that it runs before a deployment.
  const names = targets?.[process.env['GCLOUD_PROJECT'] ?? '']?.hosting;
  const addressOf = (name?: string) => name && `https://${name}.web.app`;
  return { site: addressOf(names?.site?.[0]), console: addressOf(names?.console?.[0]) };
}

function commitName(): string | undefined {
  const words = ['describe', '--tags', '--always', '--dirty'];
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function securityTxt(site: string): string {
  const expires = new Date(Date.now() + SECURITY_TXT_DAYS * 24 * 3_600_000).toISOString();
  return `Contact: ${site}/security.html#reporting\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${site}/.well-known/security.txt\n`;
}

interface Options {
  /** Whether to add the page about the local emulators. */
  readonly local: boolean;
  readonly addresses?: Addresses;
}

/** @param folder the target, which is emptied first */
export async function buildSite(folder: string, { local, addresses = {} }: Options): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(
      join(folder, file),
      text.replaceAll(SITE_ADDRESS, addresses.site ?? SITE_ADDRESS),
    );
  };
  const pages = [
    documentPage('guide.html', 'Guide', 'docs/integrating.md'),
    generatedPage('reference.html', 'Reference', referenceMarkdown()),
    clientsPage(buildClients(join(folder, 'clients'))),
    documentPage('changes.html', 'Changes', 'docs/changes.md'),
    documentPage('architecture.html', 'Architecture', 'docs/architecture.md'),
    securityPage(),
    // Only `npm start` serves the sandbox.
    ...(local ? [documentPage('sandbox.html', 'Sandbox', 'docs/sandbox.md')] : []),
  ];
  const edition: Edition = {
    version: openapiDocument().info.version,
    commit: commitName(),
    identity: addresses.console && `${addresses.console}/identity/`,
  };
  for (const page of [homePage(), NOT_FOUND, ...pages]) {
    write(page.file, pageHtml(page, pages, edition));
    if (page.markdown !== undefined) write(markdownFile(page.file), page.markdown);
  }
  write('llms.txt', read('site/llms.txt'));
  const keySet: PublicKeySet | undefined = local
    ? publicKeySetOf(DEMONSTRATION_SIGNING_KEY)
    : undefined;
  write(KEY_SET_PATH, keySet ? `${JSON.stringify(keySet, null, 2)}\n` : read(KEY_SET));
  if (addresses.site) write('.well-known/security.txt', securityTxt(addresses.site));
  const copied = PICTURES.map((picture) => `docs/pictures/${picture}`);
  for (const file of ['docs/openapi.json', 'console/mark.svg', ...copied]) {
    copyFileSync(join(ROOT, file), join(folder, basename(file)));
  }
  await build({
    entryPoints: [join(ROOT, 'site/browser/site.ts'), join(ROOT, 'site/site.css')],
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    minify: true,
    logLevel: 'warning',
  });
}

if (import.meta.main) {
  const local = process.argv.includes('--local');
  await buildSite(join(ROOT, 'public/site'), {
    local,
    addresses: local ? {} : deployedAddresses(),
  });
}
