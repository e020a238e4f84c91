// Prepares our Markdown for the site, and converts it to HTML in which each heading and each named row of a table has
// an id and a link.

import highlighter from 'highlight.js/lib/common';
import { Marked, type Tokens } from 'marked';

/** The placeholder for the site's address in documents. The build or a script in the browser replaces it. */
export const SITE_ADDRESS = 'https://SITE';

/** The sources of the site's pages, and the pages' names, in the order of the navigation. */
export const PAGES: Readonly<Record<string, string>> = {
  'integrating.md': 'Guide',
  'contract.md': 'Reference',
  'clients.md': 'Clients',
  'changes.md': 'Changes',
  'status.html': 'Status',
  'evidence.md': 'Evidence',
  'SECURITY.md': 'Security',
};

export const fileOf = (name: string): string => `${name.toLowerCase()}.html`;

/** The headers of the columns whose names can be linked to, such as a field or an error code. */
const LINKED_COLUMN = /^(code|field|name)$/i;
/** What the search finds: a heading, or a row of a table that can be linked to, with the text that follows it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** The heading's level; 0 for a row. */
  readonly level: number;
  text: string;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s+/g, '-');

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** @returns code as HTML whose parts have classes, which site.css colours */
export const highlight = (code: string, language: string): string =>
  highlighter.getLanguage(language)
    ? highlighter.highlight(code, { language }).value
    : escapeHtml(code);

const textOf = (markdown: string): string =>
  markdown
    .replaceAll(/\]\([^)]*\)|[[`*]|\b_|_\b/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @returns the HTML, the sections, and the first paragraph as text */
export function renderMarkdown(text: string) {
  const markdown = siteMarkdown(text);
  const sections: Section[] = [];
  let heading = '';
  const addText = (words: string): void => {
    const section = sections.at(-1);
    if (section) section.text += `${words} `;
  };
  const marked = new Marked({
    renderer: {
      code: ({ text: code, lang = '' }: Tokens.Code) =>
        `<pre><code class="language-${lang}">${highlight(code, lang)}</code></pre>\n`,
      heading({ depth, text: source, tokens }: Tokens.Heading) {
        const title = textOf(source);
        heading = slug(title);
        sections.push({ id: heading, title, level: depth, text: '' });
        const content = this.parser.parseInline(tokens);
        const linked = depth === 1 ? content : `<a href="#${heading}">${content}</a>`;
        return `<h${depth} id="${heading}">${linked}</h${depth}>\n`;
      },
      table({ header, rows }: Tokens.Table) {
        const labels = header.map((cell) => textOf(cell.text));
        const lines = rows.map((cells) => {
          const tds = cells.map(({ text: cell, tokens }, column) => {
            const label = labels[column] ?? '';
            const content = this.parser.parseInline(tokens);
            const [, name] = (LINKED_COLUMN.test(label) && /^`([\w-]+)`/.exec(cell)) || [];
            // Where the column is narrow, each cell is on a line of its own, after its column's name.
            const data = column === 0 ? '' : ` data-label="${escapeHtml(label)}"`;
            if (name === undefined) return `<td${data}>${content}</td>`;
            // A field and a parameter may have one name.
            const isTaken = sections.some(({ id }) => id === name);
            const id = isTaken ? `${heading}-${name}` : name;
            sections.push({ id, title: name, level: 0, text: '' });
            const linked = content.replace(/^<code.*?<\/code>/, `<a href="#${id}">$&</a>`);
            return `<td${data} id="${id}">${linked}</td>`;
          });
          addText(cells.map((cell) => textOf(cell.text)).join(' '));
          return `<tr>${tds.join('\n')}</tr>`;
        });
        const heads = labels.map((label) => `<th>${escapeHtml(label)}</th>`);
        return `<table>\n<thead><tr>${heads.join('\n')}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table>\n`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html = tokens.map((token) => {
    if (token.type === 'code') addText(textOf(token.text));
    else if (!['heading', 'html', 'space', 'table'].includes(token.type))
      addText(textOf(token.raw));
    return marked.parser([token]);
  });
  const first = tokens.find(({ type }) => type === 'paragraph');
  return { html: html.join(''), sections, introduction: textOf(first?.raw ?? '') };
}

/** Leaves out notes for readers of the repository and comments for the tests, names files, and keeps links on the site. */
const siteMarkdown = (text: string): string =>
  text
    .replaceAll(/^> In this repository[\s\S]*?\n\n/gm, '')
    .replaceAll(/^<!-- file: ([\w.]+).* -->\n/gm, '`$1`:\n\n')
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replaceAll(/^```[\s\S]*?^```$|\[([^\]]*)\]\(([^)]+)\)/gm, (all, content, href) => {
      if (href === undefined) return all;
      const target = onSite(href);
      return target === undefined ? content : `[${content}](${target})`;
    });

/** @returns a link's target on the site; undefined for other documents, which are shown without the link */
function onSite(href: string): string | undefined {
  const path = href.replace(/^(\.\.|docs)\//, '');
  if (/^(https:|#|clients\/|openapi\.json)/.test(path)) return path;
  const [source = ''] = path.split('#');
  const name = PAGES[source];
  return name && path.replace(source, fileOf(name));
}
