// The frame of every page of the site.

import type { Section } from './markdown.ts';

export interface PageLink {
  readonly file: string;
  readonly name: string;
}

export interface Page extends PageLink {
  /** HTML. */
  readonly body: string;
  readonly sections?: readonly Section[];
  /** A script of this page alone. */
  readonly script?: string;
}

/** @param links every page of the site, for the navigation */
export function pageHtml(page: Page, links: readonly PageLink[]): string {
  const { file, name, body, sections = [], script } = page;
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
${script === undefined ? '' : `<script src="${script}" defer></script>\n`}</head>
<body>
<header>
<nav aria-label="Site">
<ul>
${links.map((link) => navigationItem(link, link.file === file)).join('\n')}
</ul>
</nav>
</header>
<main>
${body.replace('</h1>\n', `</h1>\n${contentsOf(sections)}`)}</main>
</body>
</html>
`;
}

const navigationItem = ({ file, name }: PageLink, isCurrent: boolean): string =>
  `<li><a href="${file}"${isCurrent ? ' aria-current="page"' : ''}>${name}</a></li>`;

function contentsOf(sections: readonly Section[]): string {
  if (sections.length === 0) return '';
  const items = sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return `<nav aria-label="On this page">\n<ul>\n${items.join('\n')}\n</ul>\n</nav>\n`;
}
