// Turns our Markdown into the HTML of the site: safe ids, links that stay on the site, and the
// site's own address where the text has to name one.

import { Marked, type Tokens } from 'marked';

/** Stands for the site's own address, in the documents; the browser fills it in (site.ts). */
export const SITE_ADDRESS = 'https://SITE';

/** What the documents link to, and where that is on the site. */
const PAGES: Readonly<Record<string, string>> = {
  'attestationsClient.ts': 'attestationsClient.ts',
  'changes.md': 'changes.html',
  'integrating.md': 'guide.html',
  'openapi.json': 'openapi.json',
  'sandbox.md': 'sandbox.html',
};

/** Longer code may break anywhere: else it would be wider than a phone. */
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
 * @param title of the document, for an error about one of its links
 * @returns the HTML, and its sections (the headings of level 2)
 * @throws Error when a link leads to a document that is not on the site
 */
export function renderMarkdown(
  text: string,
  title: string,
): { readonly html: string; readonly sections: readonly Section[] } {
  const sections: Section[] = [];
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
      // Focusable, so that the keyboard can scroll what is wider than a phone.
      code: ({ text: code }: Tokens.Code) =>
        `<pre tabindex="0"><code>${withAddress(escapeHtml(code))}\n</code></pre>\n`,
      codespan: ({ text: code }: Tokens.Codespan) =>
        `<code${code.length > WORD_MAX ? ' class="long"' : ''}>${withAddress(escapeHtml(code))}</code>`,
      // Comments are for the tests of the samples.
      html: ({ text: html }: Tokens.HTML | Tokens.Tag) => (html.startsWith('<!--') ? '' : html),
    },
  });
  return { html: marked.parse(text, { async: false }), sections };
}

function onSite(href: string, title: string): string {
  if (/^(https:|#)/.test(href)) return href;
  const [file = '', fragment] = href.split('#');
  const page = PAGES[file];
  if (page === undefined) throw new Error(`${title} links ${href}, which is not on the site`);
  return fragment === undefined ? page : `${page}#${fragment}`;
}
