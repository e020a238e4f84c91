// Builds the documentation site: the documents for integrators, the contract, and the clients.
//   npm run site              builds public/site, which Firebase Hosting serves
//   npm run site -- --local   with the demonstration's public keys, for `npm start`

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { DAY_MS, KEY_SET_PATH } from '../contract/endpoint.ts';
import { MIRROR_STATUS } from '../contract/mirrorStatus.ts';
import { readCommit } from '../tools/build.ts';
import { type Addresses, deployedAddresses, readOperator } from '../tools/deployment.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../tools/sandbox/demonstrationKey.ts';
import { EMULATED_PROJECT, EMULATOR_PORTS } from '../tools/sandbox/emulatorAddresses.ts';
import { addReleased, packClients, withHashes } from './clients.ts';
import { type Page, pageHtml, type SearchEntry } from './layout.ts';
import { escapeHtml, fileOf, PAGES, renderMarkdown, SITE_ADDRESS } from './markdown.ts';
import { TITLE, VERSION } from './openapi/document.ts';
import { homeMarkdown, referenceMarkdown, STATUS_MARKDOWN } from './reference.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Stands for the site's address where the build does not know it. */
const UNKNOWN_ADDRESS = 'https://your-platform.example';
const NOTE = `\`${UNKNOWN_ADDRESS}\` stands for the address of this site.`;

function pageOf(name: string, text: string, file = fileOf(name)): Page {
  const { html, sections, introduction } = renderMarkdown(text);
  return { file, name, body: html, sections, description: introduction };
}

/** The changes as an Atom feed (RFC 4287). An entry that begins with "Wrong results" says so in its title. */
export function changesFeed(changes: string): string {
  const [, ...parts] = changes.split(/^(?=## )/m);
  const dateOf = (part = ''): string => `${/\d{4}-\d\d-\d\d/.exec(part)?.[0]}T00:00:00Z`;
  const entries = parts.map((part) => {
    const { html, sections } = renderMarkdown(part);
    const warning = /\n\n\*\*Wrong results\*\*/.test(part) ? 'Wrong results: ' : '';
    const address = `${SITE_ADDRESS}/changes.html#${sections[0]?.id}`;
    return `<entry>
<title>${escapeHtml(`${warning}${sections[0]?.title}`)}</title>
<id>${address}</id>
<link href="${address}"/>
<updated>${dateOf(part)}</updated>
<content type="html" xml:base="${SITE_ADDRESS}/">${escapeHtml(html)}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${TITLE}: changes</title>
<id>${SITE_ADDRESS}/changes.html</id>
<link rel="self" href="${SITE_ADDRESS}/changes.xml"/>
<author><name>PoH attestations</name></author>
<updated>${dateOf(parts[0])}</updated>
${entries.join('\n')}
</feed>
`;
}

/** The items below every page: what is deployed, and where everything else is. */
function footerOf({ console }: Addresses): string[] {
  return [
    `Contract ${VERSION}, commit <code>${readCommit()}</code>`,
    '<a href="/openapi.json">openapi.json</a>',
    '<a href="/llms.txt">llms.txt</a>',
    '<a href="/security.html#reporting">Report a vulnerability</a>',
    ...(console ? [`<a href="${console}/identity/">Identity proof, for your users</a>`] : []),
  ];
}

/** The address of the state of the mirror in Firestore's REST API; empty if the project is not known. */
function mirrorStatusAddress(local: boolean, { project = '' }: Addresses): string {
  const { collection, document } = MIRROR_STATUS;
  const path = `databases/(default)/documents/${collection}/${document}`;
  if (local)
    return `http://127.0.0.1:${EMULATOR_PORTS.firestore}/v1/projects/${EMULATED_PROJECT}/${path}`;
  return project && `https://firestore.googleapis.com/v1/projects/${project}/${path}`;
}

/**
 * @param folder the target, which is emptied first
 * @param local whether its public keys are the demonstration's
 * @param addresses the addresses that replace placeholders, if they are known
 * @param released the folder of the clients that were deployed, if it is another one
 */
export async function buildSite(
  folder: string,
  {
    local,
    addresses = {},
    released,
  }: { readonly local: boolean; readonly addresses?: Addresses; readonly released?: string },
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const address = addresses.site ?? UNKNOWN_ADDRESS;
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text.replaceAll(SITE_ADDRESS, address));
  };
  const archives = join(folder, 'clients');
  const clients = packClients(archives);
  addReleased(archives, clients, released);
  const generated: Readonly<Record<string, () => string>> = {
    'contract.md': () => referenceMarkdown(read('docs/contract.md')),
    'status.html': () => STATUS_MARKDOWN,
    'SECURITY.md': () => read('SECURITY.md'),
  };
  const pages = Object.entries(PAGES).map(([source, name]) =>
    pageOf(name, generated[source]?.() ?? withHashes(read(`docs/${source}`), archives, clients)),
  );
  const home = { ...pageOf('Start', homeMarkdown(readOperator()), 'index.html'), sections: [] };
  const missing =
    '# Page not found\n\nNothing is at this address. Search above, or choose a page.\n\n<ul id="likely"></ul>';
  const notFound = pageOf('Page not found', missing, '404.html');
  for (const page of [home, notFound, ...pages]) {
    const isNoted = addresses.site === undefined && page.body.includes(SITE_ADDRESS);
    // The script replaces the address, and then the note would be false.
    const note = isNoted ? `<noscript>${renderMarkdown(NOTE).html}</noscript>\n` : '';
    write(page.file, pageHtml({ ...page, body: note + page.body }, pages, footerOf(addresses)));
  }
  const entries: SearchEntry[] = pages.flatMap(({ file, name: page, sections }) =>
    sections.map(({ id, title, text }) => ({ id: `${file}#${id}`, page, title, text })),
  );
  write('search.json', JSON.stringify(entries));
  write('changes.xml', changesFeed(read('docs/changes.md')));
  // RFC 9116. It expires, because an old one may name the wrong contact.
  const expires = new Date(Date.now() + 360 * DAY_MS).toISOString();
  const contact = `Contact: ${SITE_ADDRESS}/security.html#reporting\nExpires: ${expires}\n`;
  if (addresses.site) write('.well-known/security.txt', contact);
  const demonstration = JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY), null, 2);
  const published = read('functions/src/signatures/publicKeys.json');
  write(KEY_SET_PATH, local ? `${demonstration}\n` : published);
  const copied = '{site/llms.txt,docs/openapi.json,console/mark.svg}';
  for (const file of globSync(copied, { cwd: ROOT })) write(basename(file), read(file));
  await build({
    entryPoints: [join(ROOT, 'site/browser/site.ts'), join(ROOT, 'site/site.css')],
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    minify: true,
    format: 'esm',
    splitting: true,
    define: {
      UNKNOWN_ADDRESS: JSON.stringify(UNKNOWN_ADDRESS),
      MIRROR_STATUS_ADDRESS: JSON.stringify(mirrorStatusAddress(local, addresses)),
    },
    logLevel: 'warning',
  });
}

if (import.meta.main) {
  const local = process.argv.includes('--local');
  const addresses = local ? {} : deployedAddresses();
  await buildSite(join(ROOT, 'public/site'), { local, addresses });
}
