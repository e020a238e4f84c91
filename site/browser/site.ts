// The script of every page. It fills in the site's address, closes the contents, loads the search, and copies code.

/** Stands for the site's address in pages whose build does not know it. The build defines it. */
declare const UNKNOWN_ADDRESS: string;

for (const code of document.querySelectorAll('code')) {
  if (code.textContent.includes(UNKNOWN_ADDRESS))
    code.textContent = code.textContent.replaceAll(UNKNOWN_ADDRESS, location.origin);
}

const contents = document.querySelector<HTMLDetailsElement>('.contents details');
contents?.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement) contents.open = false;
});

const field = document.querySelector<HTMLInputElement>('search input');
const results = document.querySelector<HTMLElement>('search ul');
if (field && results) {
  const load = async (): Promise<void> => (await import('./search.ts')).startSearch(field, results);
  // Somebody may be typing before this script runs.
  if (document.activeElement === field) void load();
  else field.addEventListener('focus', () => void load(), { once: true });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    field.value = '';
    results.replaceChildren();
  });
  results.addEventListener('click', () => results.replaceChildren());
}

/** How long a button shows the result of copying. */
const RESULT_MS = 2_000;

function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
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
  for (const code of document.querySelectorAll<HTMLElement>('pre code')) {
    code.before(copyButton(code));
  }
}
