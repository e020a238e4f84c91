// The search, which is loaded with its index when its field gets the focus. Lists sections, fields and error codes.

import MiniSearch, { type SearchResult } from 'minisearch';
import type { SearchEntry } from '../layout.ts';

const RESULTS_MAX = 8;
/** With fewer results than this, entries that lack some of the words are listed too. */
const RESULTS_MIN = 3;
/** More than a line, of which the styles show one. */
const EXCERPT_LENGTH = 160;

/** Words of a question that say nothing about its subject. */
const STOP_WORDS = new Set(
  'a an and are can do does for from get how i in is it long much my of on or the there to what when where which with you'.split(
    ' ',
  ),
);
/** Readers look for what to do before they look for its exact definition. */
const WEIGHTS: Readonly<Record<string, number>> = { Guide: 3, Status: 3, Security: 0.5 };

const index = new MiniSearch<SearchEntry>({
  fields: ['title', 'text'],
  storeFields: ['page', 'title', 'text'],
  // An address is looked up as "email" and as "e-mail".
  tokenize: (text) => text.replaceAll(/e-mail/gi, 'email').split(/[^\p{L}\p{N}_]+/u),
  processTerm: (term) => !STOP_WORDS.has(term.toLowerCase()) && term.toLowerCase(),
  searchOptions: {
    boost: { title: 4 },
    prefix: true,
    fuzzy: 0.1,
    boostDocument: (_id, _term, stored) => WEIGHTS[String(stored?.['page'])] ?? 1,
  },
});

const response = await fetch('/search.json');
index.addAll(await response.json());

/** @returns links to the best results for a text, each with an excerpt */
export function search(text: string): HTMLElement[] {
  const all = index.search(text, { combineWith: 'AND' });
  const found = all.length < RESULTS_MIN ? index.search(text) : all;
  const best = [...all, ...found.filter(({ id }) => all.every((each) => each.id !== id))];
  return best.slice(0, RESULTS_MAX).map(toLink);
}

function toLink({ id, page, title, text, queryTerms }: SearchResult): HTMLElement {
  const link = document.createElement('a');
  link.href = `/${id}`;
  link.textContent = title === page ? page : `${title} · ${page}`;
  const words = String(text).split(' ');
  const place = words.findIndex((word) =>
    queryTerms.some((term) => word.toLowerCase().includes(term)),
  );
  const excerpt = document.createElement('small');
  excerpt.textContent = words
    .slice(Math.max(0, place - 4))
    .join(' ')
    .slice(0, EXCERPT_LENGTH);
  link.append(excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}
