// The script of every page. It fills in the site's address, copies code, adds the search, and closes menus.

for (const place of document.querySelectorAll('[data-site-address]')) {
  place.textContent = location.origin;
}

for (const contents of document.querySelectorAll<HTMLDetailsElement>('.contents details')) {
  contents.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) contents.open = false;
  });
}

/** Adds the search, which does not work without a script. */
function addSearch(): void {
  const search = document.createElement('search');
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Search';
  field.ariaLabel = 'Search';
  const results = document.createElement('ul');
  results.ariaLive = 'polite';
  search.append(field, results);
  document.querySelector('body > header')?.append(search);
  const load = async (): Promise<void> => (await import('./search.ts')).startSearch(field, results);
  field.addEventListener('focus', () => void load(), { once: true });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') field.value = '';
    if (key === 'Escape') results.replaceChildren();
  });
  results.addEventListener('click', () => results.replaceChildren());
}
addSearch();

/** How long a button shows the result of copying. */
const RESULT_MS = 2_000;

function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const copied = navigator.clipboard.writeText(code.innerText.trimEnd());
    button.textContent = await copied.then(
      () => 'Copied',
      () => 'Not copied',
    );
    setTimeout(() => {
      button.textContent = 'Copy';
    }, RESULT_MS);
  });
  return button;
}

// Browsers offer the clipboard only to pages that were loaded over TLS or from localhost.
if (navigator.clipboard) {
  for (const code of document.querySelectorAll<HTMLElement>('figure code')) {
    code.closest('figure')?.prepend(copyButton(code));
  }
}
