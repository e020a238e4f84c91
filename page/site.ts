// What every page of the site does in the browser: names the site's own address, copies code, and closes
// the contents once a section was chosen.

for (const place of document.querySelectorAll('[data-site-address]')) {
  place.textContent = location.origin;
}

for (const contents of document.querySelectorAll<HTMLDetailsElement>('.contents details')) {
  contents.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) contents.open = false;
  });
}

/** How long a button says that it has copied. */
const SAID_MS = 2_000;

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
    }, SAID_MS);
  });
  return button;
}

// A page that was not loaded over TLS has no clipboard.
if (navigator.clipboard) {
  for (const code of document.querySelectorAll<HTMLElement>('figure code')) {
    code.closest('figure')?.prepend(copyButton(code));
  }
}
