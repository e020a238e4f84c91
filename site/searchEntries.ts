// Splits pages into what the search finds: sections, fields and error codes.

import type { Page } from './layout.ts';

export interface Entry {
  readonly id: string;
  /** The page's name, and the heading or the name of the field. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&quot;': '"',
  '&amp;': '&',
  '&#39;': "'",
};

const textOf = (html: string): string =>
  html
    .replaceAll(/<a class="anchor".*?<\/a>|<[^>]+>/g, ' ')
    .replaceAll(/&[\w#]+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @returns an entry for each heading and each named row of a table, whose id is its address */
export const entriesOf = ({ file, name, body }: Page): Entry[] =>
  body.split(/(?=<(?:h[123]|td)[^>]* id=")/).map((part) => {
    const [, id = ''] = /^<[^>]* id="([^"]+)"/.exec(part) ?? [];
    const [head = ''] = /^[\s\S]*?<\/(?:h[123]|td)>/.exec(part) ?? [];
    const text = textOf(part.slice(head.length));
    return { id: id === '' ? file : `${file}#${id}`, page: name, title: textOf(head), text };
  });
