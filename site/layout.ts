// The layout of every page of the site.

import type { Section } from './markdown.ts';

export interface PageLink {
  readonly file: string;
  readonly name: string;
}

export interface Page extends PageLink {
  /** HTML. */
  readonly body: string;
  readonly sections?: readonly Section[];
  /** The page as Markdown, which is published next to it. */
  readonly markdown?: string;
}

/** @param links every page of the site, for the navigation */
export function pageHtml(page: Page, links: readonly PageLink[]): string {
  const { file, name, body, sections = [], markdown } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${name} · Proof-of-Humanity attestations</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="site.css">
<script src="site.js" defer></script>
</head>
<body>
<header>
<nav aria-label="Site">
<ul>
${links.map((link) => navigationItem(link, link.file === file)).join('\n')}
</ul>
</nav>
</header>
<main>
${body.replace('</h1>\n', `</h1>\n${contentsOf(sections)}`)}${markdown === undefined ? '' : markdownLink(file)}</main>
</body>
</html>
`;
}

const navigationItem = ({ file, name }: PageLink, isCurrent: boolean): string =>
  `<li><a href="${file}"${isCurrent ? ' aria-current="page"' : ''}>${name}</a></li>`;

export const markdownFile = (file: string): string => file.replace(/html$/, 'md');

const markdownLink = (file: string): string =>
  `<p><a href="${markdownFile(file)}">This page as Markdown</a></p>\n`;

/** The list of sections, which stays visible while the page is scrolled. */
function contentsOf(sections: readonly Section[]): string {
  if (sections.length === 0) return '';
  const items = sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return `<nav class="contents" aria-label="On this page">\n<details>\n<summary>On this page</summary>\n<ul>\n${items.join('\n')}\n</ul>\n</details>\n</nav>\n`;
}
