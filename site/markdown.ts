// Converts our Markdown to the site's HTML. Gives each heading an id, points links to pages of the
// site, and marks `https://SITE` for replacement with the site's own address.

import { Marked, type Tokens } from 'marked';

/** The placeholder for the site's address in documents. A script replaces it in the browser (site.ts). */
export const SITE_ADDRESS = 'https://SITE';

export const PICTURES = ['parts.svg', 'lookup.svg'];

/** The link targets in documents, and their paths on the site. */
const PAGES: Readonly<Record<string, string>> = {
  '../clients/LICENSE.txt': 'clients/LICENSE.txt',
  'architecture.md': 'architecture.html',
  'changes.md': 'changes.html',
  'clients.md': 'clients.html',
  'integrating.md': 'guide.html',
  'openapi.json': 'openapi.json',
  'sandbox.md': 'sandbox.html',
  ...Object.fromEntries(PICTURES.map((file) => [`pictures/${file}`, file])),
};

/** Longer code may break anywhere, because it would be wider than a phone. */
const WORD_MAX = 24;

export interface Section {
  readonly id: string;
  readonly title: string;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s+/g, '-');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const withAddress = (html: string): string =>
  html.replaceAll(SITE_ADDRESS, `<span data-site-address>${SITE_ADDRESS}</span>`);

/**
 * @param title the document's title, for errors about its links
 * @returns the HTML, and the sections (headings of level 2)
 * @throws Error when a link leads to a document that is not on the site
 */
export function renderMarkdown(
  text: string,
  title: string,
): { readonly html: string; readonly sections: readonly Section[] } {
  const sections: Section[] = [];
  let fileName: string | undefined;
  const marked = new Marked({
    renderer: {
      heading({ depth, text: heading, tokens }: Tokens.Heading) {
        const plain = heading.replaceAll(/[`_*]/g, '');
        const id = slug(plain);
        if (depth === 2) sections.push({ id, title: plain });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(onSite(href, title))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: alt }: Tokens.Image) {
        return `<img class="diagram" alt="${escapeHtml(alt)}" src="${escapeHtml(onSite(href, title))}">`;
      },
      code({ text: code }: Tokens.Code) {
        const caption = fileName === undefined ? '' : `<figcaption>${fileName}</figcaption>\n`;
        fileName = undefined;
        // Focusable, so that the keyboard can scroll code that is wider than a phone.
        const text = `<code>${withAddress(escapeHtml(code))}\n</code>`;
        return `<figure>\n${caption}<pre tabindex="0">${text}</pre>\n</figure>\n`;
      },
      // On a phone each row becomes a CSS block, which hides the table from screen readers. The roles
      // restore it.
      table({ header, rows }: Tokens.Table) {
        const heads = header.map(
          ({ tokens }) => `<th role="columnheader">${this.parser.parseInline(tokens)}</th>`,
        );
        const lines = rows.map((cells) => {
          const tds = cells.map(({ tokens }, column) => {
            const label = escapeHtml(header[column]?.text.replaceAll(/[`_*]/g, '') ?? '');
            return `<td role="cell" data-label="${label}">${this.parser.parseInline(tokens)}</td>`;
          });
          return `<tr role="row">${tds.join('\n')}</tr>`;
        });
        return `<table role="table">\n<thead role="rowgroup"><tr role="row">${heads.join('\n')}</tr></thead>\n<tbody role="rowgroup">\n${lines.join('\n')}\n</tbody>\n</table>\n`;
      },
      codespan: ({ text: code }: Tokens.Codespan) =>
        `<code${code.length > WORD_MAX ? ' class="long"' : ''}>${withAddress(escapeHtml(code))}</code>`,
      // Comments tell the tests what to do with a sample. `file:` also names the file of the next code block.
      html({ text: html }: Tokens.HTML | Tokens.Tag) {
        fileName = /^<!-- file: ([\w.]+)/.exec(html)?.[1] ?? fileName;
        return html.startsWith('<!--') ? '' : html;
      },
    },
  });
  return { html: marked.parse(text, { async: false }), sections };
}

/**
 * Prepares a document for the site as Markdown, with links that stay on the site and without our
 * comments.
 */
export const siteMarkdown = (text: string, title: string): string =>
  text
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replaceAll(/\]\(([^)]+)\)/g, (_, href: string) => `](${onSite(href, title)})`);

function onSite(href: string, title: string): string {
  if (/^(https:|#|clients\/)/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const page = PAGES[file];
  if (page === undefined) throw new Error(`${title} links to ${href}, which is not on the site`);
  return fragment === undefined ? page : `${page}#${fragment}`;
}
