// The layout of every page of the site.

import { escapeHtml, type Section } from './markdown.ts';
import { TITLE } from './openapi/document.ts';

export interface Page {
  readonly file: string;
  readonly name: string;
  /** HTML. */
  readonly body: string;
  readonly sections: readonly Section[];
  /** One or two sentences for search engines and previews. */
  readonly description: string;
}

/** An entry of the search. Its id is its address. */
export type SearchEntry = Omit<Section, 'level'> & { readonly page: string };

/** The first pages of the navigation are in the header, where a phone has room for them; the others are in the footer. */
const PAGES_SHOWN = 4;

const list = (items: readonly string[]): string =>
  `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;

/** The list of sections: a line that opens at the top of the screen or, on a wide screen, a column. */
function contentsOf(sections: readonly Section[]): string {
  const items = sections
    .filter(({ level }) => level === 2)
    .map(({ id, title }) => `<a href="#${id}">${escapeHtml(title)}</a>`);
  if (items.length === 0) return '';
  return `<nav class="contents" aria-label="On this page">\n<details>\n<summary>On this page</summary>\n${list(items)}\n</details>\n</nav>\n`;
}

/**
 * Returns a page's HTML. Its addresses begin with a slash, because Hosting shows 404.html at every path.
 *
 * @param pages the pages in the navigation
 * @param footer the items below every page, as HTML
 */
export function pageHtml(page: Page, pages: readonly Page[], footer: readonly string[]): string {
  const { file, name, body, sections, description } = page;
  const title = escapeHtml(file === 'index.html' ? TITLE : `${name} · ${TITLE}`);
  const links = pages.map((each) => {
    const current = each.file === file ? ' aria-current="page"' : '';
    return `<a href="/${each.file}"${current}>${each.name}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/site.css">
<link rel="alternate" type="application/atom+xml" title="Changes" href="/changes.xml">
<script src="/site.js" type="module"></script>
</head>
<body>
<a class="visually-hidden" href="#content">Skip to the content</a>
<header>
<a class="home" href="/"><img src="/mark.svg" alt="" width="28" height="28">PoH attestations</a>
<search>
<input type="search" placeholder="Search" aria-label="Search" aria-keyshortcuts="/">
<ul aria-live="polite"></ul>
</search>
<nav aria-label="Site">
${list(links.slice(0, PAGES_SHOWN))}
</nav>
</header>
<div class="columns">
${contentsOf(sections)}<main id="content">
${body}</main>
</div>
<footer>
<nav aria-label="More pages">
${list(links.slice(PAGES_SHOWN))}
</nav>
${list(footer)}
</footer>
</body>
</html>
`;
}
