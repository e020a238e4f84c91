// The script of every page. It fills in the site's address, shows the state of the mirror, closes the contents, loads the search, and copies code.

/** Stands for the site's address in pages whose build does not know it. The build defines it. */
declare const UNKNOWN_ADDRESS: string;

for (const code of document.querySelectorAll('code')) {
  // A keyboard must be able to scroll long lines.
  if (code.matches('pre *')) code.tabIndex = 0;
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    text.nodeValue = text.nodeValue?.replaceAll(UNKNOWN_ADDRESS, location.origin) ?? null;
  }
}

const mirror = document.querySelector<HTMLElement>('#mirror');
if (mirror) void import('./status.ts').then(({ showStatus }) => showStatus(mirror));

const contents = document.querySelector<HTMLDetailsElement>('.contents details');
contents?.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement) contents.open = false;
});

const area = document.querySelector<HTMLElement>('search');
const field = area?.querySelector('input');
const results = area?.querySelector('ul');
if (area && field && results) startSearch(area, field, results);

/** Loads the search on its first use, lists the likely pages on the page of an unknown address, and lets the keyboard choose a result. */
function startSearch(area: HTMLElement, field: HTMLInputElement, results: HTMLElement): void {
  const show = async (): Promise<void> => {
    const { search } = await import('./search.ts');
    const found = search(field.value);
    if (found.length > 0 || field.value === '') results.replaceChildren(...found);
    else results.innerHTML = '<li>Nothing was found.</li>';
  };
  const likely = document.querySelector('#likely');
  if (likely) {
    const words = location.pathname
      .split(/[\W_]+/)
      .join(' ')
      .replace(/ html$/, '');
    void import('./search.ts').then(({ search }) => likely.append(...search(words)));
  }
  const close = (): void => results.replaceChildren();
  const links = (): HTMLElement[] => [...results.querySelectorAll('a')];

  field.addEventListener('focus', show);
  field.addEventListener('input', show);
  // Somebody may be typing before this script runs.
  if (document.activeElement === field) void show();
  results.addEventListener('click', close);
  area.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) close();
  });
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    const isTyping = target instanceof HTMLInputElement;
    if (key === 'Escape' && target instanceof Node && area.contains(target)) {
      field.value = '';
      field.focus();
      close();
    } else if (key === '/' && !isTyping) {
      event.preventDefault();
      field.focus();
    }
  });
  area.addEventListener('keydown', (event) => {
    const items = links();
    const place = items.findIndex((link) => link.matches(':focus'));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // The results for what was typed last may still be on their way.
    if (event.key === 'Enter' && place < 0) void show().then(() => links()[0]?.click());
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    (items[place + step] ?? (step < 0 ? field : items.at(-1)))?.focus();
  });
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
    code.after(copyButton(code));
  }
}
