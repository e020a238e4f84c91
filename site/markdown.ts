// Converts our Markdown to the site's HTML. Gives each heading an id, colours code, shows the same sample in several
// languages as tabs, and points links to pages of the site. Only Shiki's tokenizer colours code: Shiki's own HTML has
// inline styles, which the site's policy forbids, and highlight.js does not tell a command from its arguments.

import { basename } from 'node:path';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import bash from '@shikijs/langs/bash';
import go from '@shikijs/langs/go';
import http from '@shikijs/langs/http';
import json from '@shikijs/langs/json';
import python from '@shikijs/langs/python';
import typescript from '@shikijs/langs/typescript';
import { codeToTokensBase, createShikiPrimitive } from '@shikijs/primitive';
import { Marked, type Token, type Tokens } from 'marked';

/** The placeholder for the site's address in documents. The build or a script in the browser replaces it. */
export const SITE_ADDRESS = 'https://SITE';

/** The sources of the site's pages, and the pages' names, in the order of the navigation. */
export const PAGES: Readonly<Record<string, string>> = {
  'integrating.md': 'Guide',
  'reference.html': 'Reference',
  'clients.md': 'Clients',
  'changes.md': 'Changes',
  'frameworks.md': 'Frameworks',
  'contract.md': 'Contract',
  'verifying.md': 'Evidence',
  'chain.md': 'Chain',
  'architecture.md': 'Architecture',
  'security.html': 'Security',
  'sandbox.html': 'Sandbox',
};

export const fileOf = (name: string): string => `${name.toLowerCase()}.html`;

/** Longer code may break anywhere, because it would be wider than a phone. */
const WORD_MAX = 24;

/** The headers of the columns whose names can be linked to, such as a field or an error code. */
const LINKED_COLUMN = /^`?(code|field|name)`?$/i;
/** A note for readers of the repository, which the site leaves out. */
const REPOSITORY_NOTE = /^> In this repository[\s\S]*?\n\n/gm;

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

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
export const escapeHtml = (text: string): string => escapeText(text).replaceAll('"', '&quot;');

const codeHtml = (code: string): string =>
  escapeText(code).replaceAll(SITE_ADDRESS, `<span data-site-address>${SITE_ADDRESS}</span>`);

/** The theme's colours are the names of classes, because the site's policy forbids inline styles. */
const COLOURS: Readonly<Record<string, string[]>> = {
  plain: [
    'source',
    'punctuation.definition.string',
    'keyword.operator',
    'variable.parameter',
    'constant.character',
  ],
  comment: ['comment', 'punctuation.definition.comment'],
  string: ['string'],
  keyword: ['keyword', 'storage', 'variable.language'],
  name: ['entity.name', 'support.function', 'support.type.property-name', 'entity.other'],
  value: ['constant', 'variable.other.normal.shell', 'punctuation.definition.variable.shell'],
};
const highlighter = createShikiPrimitive({
  engine: createJavaScriptRegexEngine(),
  langs: [bash, go, http, json, python, typescript].flat(),
  themes: [
    {
      name: 'classes',
      settings: Object.entries(COLOURS).map(([foreground, scope]) => ({
        scope,
        settings: { foreground },
      })),
    },
  ],
});

function colouredHtml(code: string, lang: string): string {
  // Without a limit, so that a busy machine builds the same pages. The default leaves slow lines without colours.
  const options = { lang, theme: 'classes', tokenizeTimeLimit: 0 };
  const lines = codeToTokensBase(highlighter, code, options).map((tokens) => {
    const spans = tokens.map(({ content, color = '' }) => {
      const name = color.toLowerCase();
      const isLong = content.length > WORD_MAX && !/\S\s/.test(content);
      const html = isLong ? `<span class=l>${codeHtml(content)}</span>` : codeHtml(content);
      // One letter each and no quotes, because the guide has hundreds of them.
      const isColoured = name in COLOURS && name !== 'plain';
      return isColoured ? `<span class=${name[0]}>${html}</span>` : html;
    });
    const html = spans.join('');
    return lang === 'json' && html.includes('hasVerifiedHuman') ? `<mark>${html}</mark>` : html;
  });
  return lines.join('\n');
}

/** The languages in which a document shows the same sample. */
const LANGUAGES: Readonly<Record<string, string>> = { python: 'Python', ts: 'TypeScript' };

/** @returns a code block's title, which follows its language, or its language; '' if it is not a tab */
function tabOf(token: Token): string {
  const [language = '', ...title] = (token.type === 'code' && token['lang']?.split(' ')) || [];
  return title.join(' ') || (LANGUAGES[language] ?? '');
}

/**
 * Renders tokens. Samples that follow each other, with only comments and blank lines between them, become `details`
 * with one name, of which the browser opens only one, without a script.
 */
function renderTokens(tokens: readonly Token[], render: (token: Token) => string): string {
  const blocks: { tab: string; html: string }[][] = [];
  for (const token of tokens) {
    const [tab, html] = [tabOf(token), render(token)];
    const last = blocks.at(-1);
    if (tab !== '' && last?.every((each) => each.tab !== '' && each.tab !== tab))
      last.push({ tab, html });
    else if (html !== '') blocks.push([{ tab, html }]);
  }
  const rendered = blocks.map((samples, index) => {
    if (samples.length === 1) return samples[0]?.html;
    const tabs = samples.map(
      ({ tab, html }, place) =>
        `<details name="tabs${index}"${place === 0 ? ' open' : ''}>\n<summary>${escapeHtml(tab)}</summary>\n${html}</details>\n`,
    );
    return `<div class="tabs">\n${tabs.join('')}</div>\n`;
  });
  return rendered.join('');
}

const textOf = (markdown: string): string =>
  markdown
    .replaceAll(/\]\([^)]*\)|[[`*]|\b_|_\b/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @returns the HTML, the sections, and the first paragraph as text */
export function renderMarkdown(text: string): {
  readonly html: string;
  readonly sections: readonly Section[];
  readonly introduction: string;
} {
  const sections: Section[] = [];
  let heading = '';
  let fileName: string | undefined;
  const marked = new Marked({
    renderer: {
      heading({ depth, text: markdown, tokens }: Tokens.Heading) {
        const title = textOf(markdown);
        heading = slug(title);
        sections.push({ id: heading, title, level: depth, text: '' });
        const content = this.parser.parseInline(tokens);
        const linked = depth === 1 ? content : `<a href="#${heading}">${content}</a>`;
        return `<h${depth} id="${heading}">${linked}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const target = onSite(href);
        const content = this.parser.parseInline(tokens);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      image({ href, text: alt }: Tokens.Image) {
        return `<img alt="${escapeHtml(alt)}" src="${escapeHtml(onSite(href) ?? '')}">`;
      },
      code({ text: code, lang = 'text' }: Tokens.Code) {
        const caption = fileName === undefined ? '' : `<figcaption>${fileName}</figcaption>\n`;
        fileName = undefined;
        const [language = ''] = lang.split(' ');
        return `<figure>\n${caption}<pre><code>${colouredHtml(code, language)}\n</code></pre>\n</figure>\n`;
      },
      table({ header, rows }: Tokens.Table) {
        const heads = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`);
        const lines = rows.map((cells) => {
          const texts: string[] = [];
          const tds = cells.map(({ text: cell, tokens }, column) => {
            const label = textOf(header[column]?.text ?? '');
            const content = this.parser.parseInline(tokens);
            const [, name] = (LINKED_COLUMN.test(label) && /^`([\w-]+)`/.exec(cell)) || [];
            // Where the column is narrow, each cell is on a line of its own, after its column's name.
            const data = column === 0 ? '' : ` data-label="${escapeHtml(label)}"`;
            if (name === undefined) {
              texts.push(textOf(cell));
              return `<td${data}>${content}</td>`;
            }
            // A field and a parameter may have one name.
            const isTaken = sections.some(({ id }) => id === name);
            const id = isTaken ? `${heading}-${name}` : name;
            sections.push({ id, title: name, level: 0, text: '' });
            const linked = content.replace(/^<code.*?<\/code>/, `<a href="#${id}">$&</a>`);
            return `<td${data} id="${id}">${linked}</td>`;
          });
          addText(texts.join(' '));
          return `<tr>${tds.join('\n')}</tr>`;
        });
        return `<table>\n<thead><tr>${heads.join('\n')}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table>\n`;
      },
      codespan: ({ text: code }: Tokens.Codespan) =>
        `<code${code.length > WORD_MAX ? ' class="long"' : ''}>${codeHtml(code)}</code>`,
      // Comments tell the tests what to do with a sample. `file:` also names the file of the next code block.
      html({ text: source }: Tokens.HTML | Tokens.Tag) {
        fileName = /^<!-- file: ([\w.]+)/.exec(source)?.[1] ?? fileName;
        return source.startsWith('<!--') ? '' : source;
      },
    },
  });
  const addText = (words: string): void => {
    const section = sections.at(-1);
    if (section) section.text += `${words} `;
  };
  const tokens = marked.lexer(text.replaceAll(REPOSITORY_NOTE, ''));
  const html = renderTokens(tokens, (token) => {
    if (!['heading', 'html', 'space', 'table'].includes(token.type)) addText(textOf(token.raw));
    return marked.parser([token]);
  });
  const first = tokens.find(({ type }) => type === 'paragraph');
  return { html, sections, introduction: textOf(first?.raw ?? '') };
}

/** Prepares a document for the site as Markdown, with links that stay on the site and without our comments, except the names of files. */
export const siteMarkdown = (text: string): string =>
  text
    .replaceAll(REPOSITORY_NOTE, '')
    .replaceAll(/^<!-- file: ([\w.]+).* -->\n/gm, '`$1`:\n\n')
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replaceAll(/\[([^\]]*)\]\(([^)]+)\)/g, (_, content: string, href: string) => {
      const target = onSite(href);
      return target === undefined ? content : `[${content}](${target})`;
    });

/** @returns a link's target on the site; undefined for other documents, which are shown without the link */
function onSite(href: string): string | undefined {
  if (href.startsWith('pictures/')) return basename(href);
  const path = href.replace(/^(\.\.|docs)\//, '');
  if (/^(https:|#|clients\/|openapi\.json)/.test(path)) return path;
  const [source = ''] = path.split('#');
  const name = PAGES[source];
  return name && path.replace(source, fileOf(name));
}
