// The search, which is loaded when its field gets the focus. Lists sections, fields and error codes.

import MiniSearch from 'minisearch';
import type { Entry } from '../searchEntries.ts';

const RESULTS_MAX = 8;

const index = new MiniSearch<Entry>({
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
      const item = document.createElement('li');
      item.append(link);
      return item;
    });
    const none = document.createElement('li');
    none.textContent = 'Nothing was found.';
    results.replaceChildren(...(items.length > 0 || field.value === '' ? items : [none]));
  };
  field.addEventListener('input', show);
  show();
}
