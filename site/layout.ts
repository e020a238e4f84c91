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

/** What every page shows about this build. */
export interface Edition {
  /** The contract's version. */
  readonly version: string;
  /** Git's name for the commit; undefined outside a repository. */
  readonly commit: string | undefined;
  /** The address of the identity-proof area; undefined before the platform has named its sites. */
  readonly identity: string | undefined;
}

/**
 * Returns a page's HTML. Its addresses begin with a slash, because Hosting shows 404.html at every path.
 *
 * @param links the pages in the navigation
 */
export function pageHtml(page: Page, links: readonly PageLink[], edition: Edition): string {
  const { file, name, body, sections = [], markdown } = page;
  const title = 'Proof-of-Humanity attestations';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${name === title ? title : `${name} · ${title}`}</title>
<link rel="icon" href="/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/site.css">
<script src="/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="/"${file === 'index.html' ? ' aria-current="page"' : ''}><img src="/mark.svg" alt="" width="28" height="28">PoH attestations</a>
<nav aria-label="Site">
<ul>
${links.map((link) => navigationItem(link, link.file === file)).join('\n')}
</ul>
</nav>
</header>
<div class="columns">
${contentsOf(sections)}<main id="content">
${body}</main>
</div>
<footer>
<ul>
${footerItems(edition, file, markdown !== undefined)
  .map((item) => `<li>${item}</li>`)
  .join('\n')}
</ul>
</footer>
</body>
</html>
`;
}

const navigationItem = ({ file, name }: PageLink, isCurrent: boolean): string =>
  `<li><a href="/${file}"${isCurrent ? ' aria-current="page"' : ''}>${name}</a></li>`;

const link = (href: string, text: string): string => `<a href="${href}">${text}</a>`;

const footerItems = (
  { version, commit, identity }: Edition,
  file: string,
  hasMarkdown: boolean,
): string[] => [
  `Contract ${version}${commit === undefined ? '' : `, deployed from <code>${commit}</code>`}`,
  ...(hasMarkdown ? [link(`/${markdownFile(file)}`, 'This page as Markdown')] : []),
  link('/openapi.json', 'openapi.json'),
  link('/llms.txt', 'llms.txt'),
  link('/security.html#reporting', 'Report a vulnerability'),
  ...(identity === undefined ? [] : [link(identity, 'Identity proof, for your users')]),
];

export const markdownFile = (file: string): string => file.replace(/html$/, 'md');

/** The list of sections: a line that opens at the top of the screen or, on a wide screen, a column. */
function contentsOf(sections: readonly Section[]): string {
  if (sections.length === 0) return '';
  const items = sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`);
  return `<nav class="contents" aria-label="On this page">\n<details>\n<summary>On this page</summary>\n<ul>\n${items.join('\n')}\n</ul>\n</details>\n</nav>\n`;
}
