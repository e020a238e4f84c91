// The form for lookups on the local emulators, which uses the site's rewrite.

/** Set by the build. */
declare const DEMONSTRATION: { key: string; wallet: string; email: string; token: string };

const form = document.querySelector<HTMLFormElement>('#lookup');
const output = document.querySelector('output');

const field = (name: string): string => String(form && new FormData(form).get(name));

function fill(name: string, value: string): void {
  const input = form?.elements.namedItem(name);
  if (input instanceof HTMLInputElement) input.value = value;
}

function fillSubject(): void {
  const mode = field('mode');
  if (mode === 'wallet' || mode === 'email' || mode === 'token') fill('value', DEMONSTRATION[mode]);
}

function show(...lines: readonly string[]): void {
  const text = document.createElement('pre');
  text.tabIndex = 0;
  text.textContent = lines.join('\n');
  output?.replaceChildren(text);
}

async function lookUp(): Promise<void> {
  const query = new URLSearchParams({ [field('mode')]: field('value') });
  const path = `/pohAttestationsEndpoint?${query}`;
  show(`GET ${path}`, '…');
  try {
    const response = await fetch(path, { headers: { 'X-PoH-API-Key': field('key') } });
    const body: unknown = await response.json();
    show(`GET ${path}`, `HTTP ${response.status}`, JSON.stringify(body, null, 2));
  } catch {
    show(`GET ${path}`, 'No response. Check that the emulators are still running.');
  }
}

fill('key', DEMONSTRATION.key);
fillSubject();
form?.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.name === 'mode') fillSubject();
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void lookUp();
});
