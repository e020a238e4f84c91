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

/** The documents and files that are on the site, and their paths there. */
const PAGES: Readonly<Record<string, string>> = {
  'architecture.md': 'architecture.html',
  'chain.md': 'chain.html',
  'changes.md': 'changes.html',
  'clients.md': 'clients.html',
  'contract.md': 'contract.html',
  'frameworks.md': 'frameworks.html',
  'integrating.md': 'guide.html',
  'openapi.json': 'openapi.json',
  'reference.html': 'reference.html',
  'sandbox.md': 'sandbox.html',
  'verifying.md': 'verifying.html',
};

/** Longer code may break anywhere, because it would be wider than a phone. */
const WORD_MAX = 24;

/** The headers of the columns whose names can be linked to, such as a field or an error code. */
const LINKED_COLUMN = /^`?(code|field|name)`?$/i;
/** A note for readers of the repository, which the site leaves out. */
const REPOSITORY_NOTE = /^> In this repository[\s\S]*?\n\n/gm;

export interface Section {
  readonly id: string;
  readonly title: string;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s+/g, '-');

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const withAddress = (html: string): string =>
  html.replaceAll(SITE_ADDRESS, `<span data-site-address>${SITE_ADDRESS}</span>`);

/** The theme's colours are the names of classes, because the site's policy forbids inline styles. */
const COLOURS: Readonly<Record<string, string[]>> = {
  plain: ['source', 'punctuation.definition.string', 'variable.parameter'],
  comment: ['comment', 'punctuation.definition.comment'],
  string: ['string'],
  keyword: ['keyword', 'storage', 'variable.language'],
  function: ['entity.name.function', 'support.function', 'entity.name.command'],
  constant: ['constant', 'variable.other.normal.shell', 'punctuation.definition.variable.shell'],
  property: ['support.type.property-name', 'entity.other.attribute-name'],
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
  const lines = codeToTokensBase(highlighter, code, options);
  const spans = lines.map((line) =>
    line.map(({ content, color = '' }) => {
      const text = escapeHtml(content);
      const name = color.toLowerCase();
      return name in COLOURS && name !== 'plain' ? `<span class="${name}">${text}</span>` : text;
    }),
  );
  const marked = spans
    .map((line) => line.join(''))
    .map((line) =>
      lang === 'json' && line.includes('hasVerifiedHuman') ? `<mark>${line}</mark>` : line,
    );
  return withAddress(marked.join('\n'));
}

/** The languages in which a document shows the same sample. */
const LANGUAGES: Readonly<Record<string, string>> = { python: 'Python', ts: 'TypeScript' };

/** @returns a code block's title, which follows its language, or its language; '' if it is not a tab */
function tabOf(token: Token): string {
  const [language = '', ...title] = (token.type === 'code' && token['lang']?.split(' ')) || [];
  return title.join(' ') || (LANGUAGES[language] ?? '');
}

interface Sample {
  readonly tab: string;
  readonly html: string;
}

/** Makes tabs of `details` with one name, of which the browser opens only one, without a script. */
function tabsOf(samples: readonly Sample[], name: string): string {
  if (samples.length === 1) return samples[0]?.html ?? '';
  const tabs = samples.map(
    ({ tab, html }, index) =>
      `<details name="${name}"${index === 0 ? ' open' : ''}>\n<summary>${escapeHtml(tab)}</summary>\n${html}</details>\n`,
  );
  return `<div class="tabs">\n${tabs.join('')}</div>\n`;
}

/** Renders tokens, with samples that follow each other as tabs. Comments and blank lines may be between them. */
function renderTokens(tokens: readonly Token[], render: (token: Token) => string): string {
  const blocks: Sample[][] = [];
  for (const token of tokens) {
    const [tab, html] = [tabOf(token), render(token)];
    const last = blocks.at(-1);
    const isNext = tab !== '' && last?.every((each) => each.tab !== '' && each.tab !== tab);
    if (last && isNext) last.push({ tab, html });
    else if (html !== '') blocks.push([{ tab, html }]);
  }
  return blocks.map((block, index) => tabsOf(block, `tabs${index}`)).join('');
}

const textOf = (markdown: string): string => markdown.replaceAll(/\]\([^)]*\)|[[`_*]/g, '');

/** @returns the HTML, the sections (headings of level 2), and the first paragraph as text */
export function renderMarkdown(text: string): {
  readonly html: string;
  readonly sections: readonly Section[];
  readonly introduction: string;
} {
  const sections: Section[] = [];
  const ids = new Set<string>();
  let fileName: string | undefined;
  const marked = new Marked({
    renderer: {
      heading({ depth, text: heading, tokens }: Tokens.Heading) {
        const plain = textOf(heading);
        const id = slug(plain);
        ids.add(id);
        if (depth === 2) sections.push({ id, title: plain });
        const content = this.parser.parseInline(tokens);
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${content}${depth === 1 ? '' : anchor}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const target = onSite(href);
        const content = this.parser.parseInline(tokens);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      image({ href, text: alt }: Tokens.Image) {
        return `<img class="diagram" alt="${escapeHtml(alt)}" src="${escapeHtml(onSite(href) ?? '')}">`;
      },
      code({ text: code, lang = 'text' }: Tokens.Code) {
        const caption = fileName === undefined ? '' : `<figcaption>${fileName}</figcaption>\n`;
        fileName = undefined;
        const [language = ''] = lang.split(' ');
        return `<figure>\n${caption}<pre><code>${colouredHtml(code, language)}\n</code></pre>\n</figure>\n`;
      },
      // In a narrow column each row becomes a CSS block, which hides the table from screen readers. The roles
      // restore it.
      table({ header, rows }: Tokens.Table) {
        const heads = header.map(
          ({ tokens }) => `<th role="columnheader">${this.parser.parseInline(tokens)}</th>`,
        );
        const lines = rows.map((cells) => {
          const tds = cells.map(({ tokens, text: cell }, column) => {
            const title = header[column]?.text ?? '';
            const label = escapeHtml(textOf(title));
            const content = this.parser.parseInline(tokens);
            const [, id = ''] = (LINKED_COLUMN.test(title) && /^`([\w-]+)`/.exec(cell)) || [];
            if (id === '' || ids.has(id))
              return `<td role="cell" data-label="${label}">${content}</td>`;
            ids.add(id);
            const linked = content.replace(/^<code.*?<\/code>/, `<a href="#${id}">$&</a>`);
            return `<td role="cell" data-label="${label}" id="${id}">${linked}</td>`;
          });
          return `<tr role="row">${tds.join('\n')}</tr>`;
        });
        return `<table role="table">\n<thead role="rowgroup"><tr role="row">${heads.join('\n')}</tr></thead>\n<tbody role="rowgroup">\n${lines.join('\n')}\n</tbody>\n</table>\n`;
      },
      codespan: ({ text: code }: Tokens.Codespan) =>
        `<code${code.length > WORD_MAX ? ' class="long"' : ''}>${withAddress(escapeHtml(code))}</code>`,
      // Comments tell the tests what to do with a sample. `file:` also names the file of the next code block.
      html({ text: source }: Tokens.HTML | Tokens.Tag) {
        fileName = /^<!-- file: ([\w.]+)/.exec(source)?.[1] ?? fileName;
        return source.startsWith('<!--') ? '' : source;
      },
    },
  });
  const tokens = marked.lexer(text.replaceAll(REPOSITORY_NOTE, ''));
  const html = renderTokens(tokens, (token) => marked.parser([token]));
  const first = tokens.find(({ type }) => type === 'paragraph');
  return { html, sections, introduction: textOf(first?.raw.trim() ?? '') };
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
  if (/^(https:|#|clients\/)/.test(href)) return href;
  if (href.startsWith('pictures/')) return basename(href);
  const [file = '', fragment] = href.replace(/^(\.\.|docs)\//, '').split('#');
  if (file.startsWith('clients/')) return file;
  const page = PAGES[file];
  return page === undefined || fragment === undefined ? page : `${page}#${fragment}`;
}
