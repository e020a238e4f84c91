// The search, which is loaded when its field gets the focus. Lists sections, fields and error codes.

import MiniSearch from 'minisearch';
import type { SearchEntry } from '../layout.ts';

const RESULTS_MAX = 8;

const index = new MiniSearch<SearchEntry>({
  fields: ['title', 'text'],
  storeFields: ['page', 'title'],
  searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.1, combineWith: 'AND' },
});

/** Shows the results for the text of a field below it, from now on. */
export async function startSearch(field: HTMLInputElement, results: HTMLElement): Promise<void> {
  const response = await fetch('/search.json');
  index.addAll(await response.json());
  const show = (): void => {
    const found = index.search(field.value).slice(0, RESULTS_MAX);
    const items = found.map(({ id, page, title }) => {
      const link = document.createElement('a');
      link.href = `/${id}`;
      link.textContent = title === page ? page : `${title} · ${page}`;
      return link;
    });
    const texts = items.length > 0 || field.value === '' ? items : ['Nothing was found.'];
    results.replaceChildren(
      ...texts.map((text) => {
        const item = document.createElement('li');
        item.append(text);
        return item;
      }),
    );
  };
  field.addEventListener('input', show);
  show();
}
