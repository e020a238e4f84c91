// Builds the documentation site: the documents for integrators as HTML and Markdown, the contract, and
// the clients.
//   npm run site              builds public/site, which Firebase Hosting serves
//   npm run site -- --local   adds the page about the local emulators, for `npm start`

import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { KEY_SET_PATH } from '../functions/src/signatures/publicKeySet.ts';
import { type Addresses, deployedAddresses } from '../tools/deployment.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../tools/sandbox/demonstrationKey.ts';
import { buildClients, withHashes } from './clients.ts';
import { openapiDocument } from './contract/document.ts';
import { markdownFile, type Page, pageHtml } from './layout.ts';
import { escapeHtml, renderMarkdown, SITE_ADDRESS, siteMarkdown } from './markdown.ts';
import { homeMarkdown, referenceMarkdown } from './reference.ts';
import { entriesOf } from './searchEntries.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A security.txt expires, because an old one may name the wrong contact. RFC 9116 recommends less than a year. */
const SECURITY_TXT_DAYS = 360;

/** @param text Markdown */
function pageOf(file: string, name: string, text: string): Page {
  const { html, sections, introduction } = renderMarkdown(text);
  return {
    file,
    name,
    body: html,
    sections,
    description: introduction,
    markdown: siteMarkdown(text),
  };
}

/** SECURITY.md without the names of the tests. */
function securityPage(): Page {
  const text = read('SECURITY.md')
    .replaceAll(/^(\|(?:\\\||[^|])*\|).*\|$/gm, '$1')
    .replace(', and the tests that check them', '');
  return pageOf('security.html', 'Security', text);
}

/** The changes as an Atom feed (RFC 4287). An entry that begins with "Wrong results" says so in its title. */
export function changesFeed(changes: string): string {
  const [, ...parts] = changes.split(/^(?=## )/m);
  const entries = parts.map((part) => {
    const { html, sections } = renderMarkdown(part);
    const [{ id, title } = { id: '', title: '' }] = sections;
    const [date = ''] = /\d{4}-\d\d-\d\d/.exec(title) ?? [];
    const warning = /\n\n\*\*Wrong results\*\*/.test(part) ? 'Wrong results: ' : '';
    const address = `${SITE_ADDRESS}/changes.html#${id}`;
    return `<entry>
<title>${escapeHtml(warning + title)}</title>
<id>${address}</id>
<link href="${address}"/>
<updated>${date}T00:00:00Z</updated>
<content type="html" xml:base="${SITE_ADDRESS}/">${escapeHtml(html)}</content>
</entry>`;
  });
  const [updated = ''] = /<updated>.*/.exec(entries[0] ?? '') ?? [];
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>Proof-of-Humanity attestations: changes</title>
<id>${SITE_ADDRESS}/changes.html</id>
<link rel="self" href="${SITE_ADDRESS}/changes.xml"/>
<author><name>PoH attestations</name></author>
${updated}
${entries.join('\n')}
</feed>
`;
}

/** A page that is not offered as Markdown, because it has HTML for its columns. */
function contractPage(file: string, name: string, text: string): Page {
  const { markdown: _, ...page } = pageOf(file, name, text);
  return page;
}

const NOT_FOUND = '# Page not found\n\nNothing is at this address. Choose a page above.';

/** Not needed if the addresses are known. */
const PLACEHOLDER_NOTE =
  'In these documents `SITE` is a placeholder for the host of this site.\n\n';

const KEY_SET = 'functions/src/signatures/publicKeys.json';

/** The items below every page: what is deployed, and where everything else is. */
function footerOf({ console }: Addresses): string[] {
  const words = ['describe', '--tags', '--always', '--dirty'];
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  const commit = status === 0 ? `, deployed from <code>${stdout.trim()}</code>` : '';
  return [
    `Contract ${openapiDocument().info.version}${commit}`,
    '<a href="/openapi.json">openapi.json</a>',
    '<a href="/llms.txt">llms.txt</a>',
    '<a href="/security.html#reporting">Report a vulnerability</a>',
    ...(console ? [`<a href="${console}/identity/">Identity proof, for your users</a>`] : []),
  ];
}

function securityTxt(site: string): string {
  const expires = new Date(Date.now() + SECURITY_TXT_DAYS * 24 * 3_600_000).toISOString();
  return `Contact: ${site}/security.html#reporting\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${site}/.well-known/security.txt\n`;
}

/**
 * @param folder the target, which is emptied first
 * @param local whether to add the page about the local emulators, and the demonstration's public keys
 * @param addresses the addresses that replace placeholders, if they are known
 */
export async function buildSite(
  folder: string,
  { local, addresses = {} }: { readonly local: boolean; readonly addresses?: Addresses },
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(
      join(folder, file),
      text.replaceAll(SITE_ADDRESS, addresses.site ?? SITE_ADDRESS),
    );
  };
  const clients = buildClients(join(folder, 'clients'));
  const pages = [
    pageOf('guide.html', 'Guide', withHashes(read('docs/integrating.md'), clients)),
    contractPage('reference.html', 'Reference', referenceMarkdown()),
    pageOf('clients.html', 'Clients', withHashes(read('docs/clients.md'), clients)),
    pageOf('changes.html', 'Changes', read('docs/changes.md')),
    pageOf('frameworks.html', 'Frameworks', read('docs/frameworks.md')),
    pageOf('contract.html', 'Contract', read('docs/contract.md')),
    pageOf('verifying.html', 'Evidence', read('docs/verifying.md')),
    pageOf('chain.html', 'Chain', read('docs/chain.md')),
    pageOf('architecture.html', 'Architecture', read('docs/architecture.md')),
    securityPage(),
    ...(local ? [pageOf('sandbox.html', 'Sandbox', read('docs/sandbox.md'))] : []),
  ];
  const home = { ...contractPage('index.html', 'Start', homeMarkdown()), sections: [] };
  const notFound = contractPage('404.html', 'Page not found', NOT_FOUND);
  for (const page of [home, notFound, ...pages]) {
    write(page.file, pageHtml(page, pages, footerOf(addresses)));
    if (page.markdown !== undefined) write(markdownFile(page.file), page.markdown);
  }
  write('search.json', JSON.stringify(pages.flatMap(entriesOf)));
  write('llms.txt', read('site/llms.txt').replace(addresses.site ? PLACEHOLDER_NOTE : '', ''));
  write('changes.xml', changesFeed(read('docs/changes.md')));
  const demonstration = JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY), null, 2);
  write(KEY_SET_PATH, local ? `${demonstration}\n` : read(KEY_SET));
  if (addresses.site) write('.well-known/security.txt', securityTxt(addresses.site));
  for (const file of globSync('{docs/openapi.json,docs/pictures/*.svg,console/mark.svg}', {
    cwd: ROOT,
  })) {
    copyFileSync(join(ROOT, file), join(folder, basename(file)));
  }
  await build({
    entryPoints: [join(ROOT, 'site/browser/site.ts'), join(ROOT, 'site/site.css')],
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    minify: true,
    format: 'esm',
    splitting: true,
    logLevel: 'warning',
  });
}

if (import.meta.main) {
  const local = process.argv.includes('--local');
  const addresses = local ? {} : deployedAddresses();
  await buildSite(join(ROOT, 'public/site'), { local, addresses });
}
