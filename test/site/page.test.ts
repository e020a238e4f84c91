// Tests the site in a real browser with Hosting's headers, both as it is deployed and as `npm start`
// serves it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, KEY_SET_PATH } from '../../contract/endpoint.ts';
import { ERRORS } from '../../contract/errors.ts';
import publicKeys from '../../functions/src/signatures/publicKeys.json' with { type: 'json' };
import { buildSite, changesFeed } from '../../site/build.ts';
import { fileOf, PAGES } from '../../site/markdown.ts';
import { VERSION, VERSION_DATE } from '../../site/openapi/document.ts';
import { componentSchemas } from '../../site/openapi/schemas.ts';
import { homeMarkdown } from '../../site/reference.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../../tools/sandbox/demonstrationKey.ts';
import { type ServedSite, serveSite } from '../../tools/sandbox/hosting.ts';
import { readSamples } from '../guide/samples.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import {
  axeFindings,
  DESKTOP,
  hasChromium,
  launchBrowser,
  NARROW,
  openContext,
  openPage,
  PHONE,
  REMOTE_HOST,
  SIDEWAYS_SCROLL,
  sidewaysScroll,
} from './browser.ts';

/** A page as it is, and also with its styles, script and pictures, compressed. At 10 Mbit/s this is 32 ms. */
const BYTES_MAX = 45_000;

/** Where the operator's sites are once they have names. */
const ADDRESSES = { site: 'https://docs.example', console: 'https://console.example' };

const SCREENS = [{ width: 1920, height: 1080 }, DESKTOP, NARROW, PHONE];

const GATE_PY = readSamples('docs/integrating.md').find(({ file }) => file === 'gate.py')?.code;

interface Site {
  readonly folder: string;
  readonly served: ServedSite;
}

let browser: Browser;
let context: BrowserContext;
let deployed: Site;
let local: Site;

async function openSite(options: Parameters<typeof buildSite>[1]): Promise<Site> {
  const [folder, released] = [temporaryFolder(), temporaryFolder()];
  // The build must remove pages that no longer exist, but no client.
  writeFileSync(join(folder, 'old.html'), '');
  writeFileSync(join(released, 'poh-attestations-0.0.1.tgz'), 'old');
  await buildSite(folder, { ...options, released });
  return { folder, served: await serveSite(0, folder) };
}

beforeAll(async () => {
  [deployed, local] = await Promise.all([
    openSite({ local: false, addresses: ADDRESSES }),
    openSite({ local: true }),
  ]);
  if (!hasChromium) return;
  browser = await launchBrowser();
  context = await openContext(browser);
});

afterAll(async () => {
  await Promise.all([browser?.close(), deployed.served.stop(), local.served.stop()]);
});

const FILES = ['index.html', ...Object.values(PAGES).map(fileOf)].toSorted();
const readBuilt = ({ folder }: Site, file: string): string =>
  readFileSync(join(folder, file), 'utf8');
/** The built files whose names end so. */
const filesOf = ({ folder }: Site, ends: RegExp): string[] =>
  readdirSync(folder).filter((name) => ends.test(name));

/** The names in tables that are split across lines. */
const BROKEN_WORDS = `[...document.querySelectorAll('td code')]
  .filter((code) => !/[ /]/.test(code.textContent) && code.getClientRects().length > 1)
  .map((code) => code.textContent)`;

/** The last is whether the pages are in one line on a phone, below the name and the search. */
const LAYOUT = `[innerWidth, ${SIDEWAYS_SCROLL}, ${BROKEN_WORDS},
  document.querySelector('header').offsetHeight < 100]`;

/** The code that the button beside it covers. */
const COVERED = `[...document.querySelectorAll('pre')].filter((pre) =>
  pre.querySelector('button')?.getBoundingClientRect().left <
    pre.querySelector('code').getBoundingClientRect().right)
  .map((pre) => pre.textContent)`;

describe.skipIf(!hasChromium)('the site', () => {
  test.each(FILES)('%s is small and readable on each screen', async (name) => {
    const origin = deployed.served.url.replace('127.0.0.1', REMOTE_HOST).slice(0, -1);
    const { page, bytes, faults } = await openPage(context, `${origin}/${name}`);
    expect(bytes).toBeGreaterThan(4_000);
    expect(bytes).toBeLessThan(BYTES_MAX);
    expect(Buffer.byteLength(readBuilt(deployed, name))).toBeLessThan(BYTES_MAX);
    await page.evaluate("document.querySelector('.contents details')?.setAttribute('open', '')");
    for (const viewport of SCREENS) {
      await page.setViewportSize(viewport);
      expect(await page.evaluate(LAYOUT)).toEqual([viewport.width, 0, [], true]);
    }
    // The last screen is a phone. Narrow tables are the only part whose meaning depends on the width.
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page, ['color-contrast']), 'dark').toEqual([]);
    // As with a browser's font size of 32 px.
    await page.evaluate('document.documentElement.style.fontSize = "32px"');
    expect(await sidewaysScroll(page), 'large text').toBe(0);
    expect(faults).toEqual([]);
  });

  test('shows every error and object of the contract, even without a script', () => {
    const guide = readBuilt(deployed, 'guide.html');
    for (const [code, { status }] of Object.entries(ERRORS)) {
      const cell = `<td[^>]* id="${code}"><a[^>]*><code>${code}</code></a></td>`;
      expect(guide).toMatch(new RegExp(`<td>${status}</td>\\s*${cell}`));
    }
    const text = readBuilt(deployed, 'reference.html');
    const words = text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
    for (const name of Object.keys(componentSchemas())) {
      expect(text).toContain(`<h3 id="${name.toLowerCase()}">`);
    }
    expect(text).toContain('array of <a href="#attestation">Attestation</a>');
    // A field and a parameter have one name.
    expect(text).toMatch(/id="wallet"[\s\S]+id="lookupresult-wallet"/);
    expect(words).toContain(' wallet, optional string The wallet that was looked up.');
    expect(words).toContain(' createdAt string, date-time When the attestation was made');
  });

  test('has no other page, each client that was deployed, and no sentence for authors', () => {
    expect(readBuilt(deployed, 'clients/poh-attestations-0.0.1.tgz')).toBe('old');
    expect(filesOf(deployed, /(?<!404)\.html$/).toSorted()).toEqual(FILES);
    for (const name of filesOf(deployed, /\.\w+$/)) {
      expect(readBuilt(deployed, name)).not.toMatch(
        /npm (start|run)|127\.0\.0\.1(?!:4010)|\bSITE\b|In this repository|README/,
      );
    }
  });

  test('begins with a request, its response and the version, on one screen', async () => {
    const { page } = await openPage(context, deployed.served.url);
    const words = ['-d wallet=', `${VERSION} of ${VERSION_DATE}`];
    for (const text of words) expect(await page.locator('main').innerText()).toContain(text);
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      const signal = await page.locator('mark').boundingBox();
      expect((signal?.y ?? 0) + (signal?.height ?? 0)).toBeLessThan(viewport.height);
    }
    for (const name of ['Guide', 'Reference', 'Clients']) {
      await page.locator('main').getByRole('link', { name, exact: false }).last().click();
      const current = page.locator('nav[aria-label="Site"] [aria-current="page"]');
      await expect.poll(() => current.allTextContents()).toEqual([name]);
      await page.getByRole('link', { name: 'PoH attestations' }).click();
    }
  });

  test('finds sections, fields and error codes, and links to each', async () => {
    const { page, faults } = await openPage(context, deployed.served.url);
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.fill('email_not_found');
    await page.getByRole('link', { name: 'email_not_found · Guide' }).click();
    await expect.poll(() => page.url()).toContain('guide.html#email_not_found');
    const row = page.getByRole('cell', { name: 'email_not_found' });
    expect(await row.getByRole('link').getAttribute('href')).toBe('#email_not_found');
    // Also if somebody types before the script has run.
    const { promise: isTyped, resolve: typed } = Promise.withResolvers<void>();
    await page.route('**/site.js', async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await field.fill('syncedat');
    typed();
    await page.getByRole('link', { name: 'syncedAt · Reference' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // The page stays, so the list has to go.
    await field.fill('email_not_found');
    await page.getByRole('link', { name: 'email_not_found · Guide' }).click();
    await expect.poll(() => page.locator('search a').count()).toBe(0);
    await field.fill('zebra');
    await page.getByText('Nothing was found.').waitFor();
    await field.press('Escape');
    await expect.poll(() => page.getByText('Nothing was found.').count()).toBe(0);
    expect(await field.inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  test('lets the keyboard search and choose', async () => {
    const { page } = await openPage(context, `${deployed.served.url}changes.html`);
    const field = page.getByRole('searchbox', { name: 'Search' });
    const results = page.locator('search a');
    await page.keyboard.press('/');
    await page.keyboard.type('rate/limit');
    expect(await field.inputValue()).toBe('rate/limit');
    await expect.poll(() => results.count()).toBe(8);
    for (const width of [600, 768, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await results.first().boundingBox())?.x, `${width}`).toBeGreaterThan(0);
    }
    const focused = (): Promise<string | null> =>
      page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(await results.nth(1).textContent());
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.locator('footer a').last().focus();
    await expect.poll(() => results.count()).toBe(0);
    await field.focus();
    await results.nth(7).focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(await results.nth(7).textContent());
    await results.nth(1).focus();
    const chosen = await results.nth(1).getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${chosen}`);
  });

  test('goes to the first result of a search that was not ready when Enter was pressed', async () => {
    const { page } = await openPage(context, `${deployed.served.url}changes.html`);
    await page.route('**/search.js*', async (route) => {
      await setTimeout(500);
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('rate limit');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide.html#rate_limited');
  });

  test.each([
    ['how do I get a key', 'guide.html#handle-keys'],
    ['401', 'guide.html#unauthorized'],
    ['email privacy', 'guide.html#choose-a-mode'],
    ['e-mail privacy', 'guide.html#choose-a-mode'],
    ['revoke a key', 'guide.html#handle-keys'],
    ['rate limit', 'guide.html#rate_limited'],
    ['rate_limitd', 'guide.html#rate_limited'],
    ['webhook', 'guide.html#choose-a-flag'],
    ['status', 'status.html#status'],
    ['how long is a token valid', 'reference.html#token'],
  ])('leads from %j to where it is explained', async (words, place) => {
    const { page } = await openPage(context, deployed.served.url);
    await page.getByRole('searchbox', { name: 'Search' }).fill(words);
    const first = page.locator('search a').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toBe(`/${place}`);
    expect((await first.locator('small').innerText()).length).toBeGreaterThan(20);
  });

  test('names an unknown page, in any folder', async () => {
    const { page, faults } = await openPage(context, `${deployed.served.url}docs/rate-limit`);
    expect(await page.getByRole('heading').innerText()).toBe('Page not found');
    await page.locator('#likely').getByRole('link', { name: 'rate_limited' }).first().waitFor();
    await page.setViewportSize(NARROW);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    const more = page.getByRole('navigation', { name: 'More pages' });
    await more.getByRole('link', { name: 'Evidence' }).click();
    await page.getByRole('heading', { name: 'Evidence', level: 1 }).waitFor();
    expect(faults).toEqual([expect.stringContaining('404')]);
  });

  test('has the addresses of the named sites in its files', () => {
    const guide = readBuilt(deployed, 'guide.html');
    expect(guide).toContain(`${ADDRESSES.site}/pohAttestationsEndpoint`);
    expect(guide).toContain('<code>gate.py</code>:</p>\n<pre><code class="language-python">');
    const identity = `<a href="${ADDRESSES.console}/identity/">Identity proof`;
    expect(readBuilt(deployed, 'index.html')).toContain(identity);
    expect(readBuilt(local, 'index.html')).not.toContain('Identity proof');
    const [contact, expires = ''] = readBuilt(deployed, '.well-known/security.txt').split(
      '\nExpires: ',
    );
    expect(contact).toBe(`Contact: ${ADDRESSES.site}/security.html#reporting`);
    expect(Math.round((Date.parse(expires.trim()) - Date.now()) / DAY_MS), 'days').toBe(360);
    expect(readdirSync(join(local.folder, '.well-known'))).not.toContain('security.txt');
    const [head = ''] = readBuilt(deployed, 'status.html').split('<header>');
    for (const part of [
      '<html lang="en">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="color-scheme" content="light dark">',
      'content="Lookups read a copy of the attestations on the chain, the mirror. This is how current it is."',
      'type="application/atom+xml" title="Changes" href="/changes.xml"',
      '<a class="visually-hidden" href="#content">Skip to the content</a>',
    ])
      expect(head).toContain(part);
    expect(guide).toContain('<a href="/security.html#reporting">Report a vulnerability</a>');
    const home = homeMarkdown({ name: 'A & <B>', help: 'mailto:a@b.example', privacy: '' });
    expect(home).toContain('href="mailto:a@b.example">Ask A &amp; &lt;B> for a key</a>');
    expect(home).toContain('from [A &amp; &lt;B>](mailto:a@b.example), who runs this service.');
  });

  test('says once in each document that its own address is not known, if it is not', () => {
    for (const name of ['guide.html', 'index.html']) {
      const unknown = readBuilt(local, name);
      expect(readBuilt(deployed, name)).not.toContain('your-platform.example');
      expect(unknown).not.toMatch(/\bSITE\b/);
      expect(unknown.split('stands for the address of this site')).toHaveLength(2);
    }
  });

  test('has a feed of the changes, which says when results were wrong', async () => {
    const { page } = await openPage(context, deployed.served.url);
    const changes =
      '# Changes\n\n## 1.0.1, 2026-12-01\n\n**Wrong results**, severe, in 1.0.0: <b> & more.\n\n## 1.0.0, 2026-11-26\n\nThe first.\n';
    expect(changesFeed(changes)).toContain('</author>\n<updated>2026-12-01T00:00:00Z</updated>');
    const entryOf = (feed: string): Promise<string | undefined> =>
      page.evaluate((text) => {
        const xml = new DOMParser().parseFromString(text, 'application/xml');
        return xml.querySelector('feed > entry')?.textContent;
      }, feed);
    const published = await entryOf(readBuilt(deployed, 'changes.xml'));
    const id = `${VERSION.replaceAll('.', '')}-${VERSION_DATE}`;
    expect(published).toContain(`\n${ADDRESSES.site}/changes.html#${id}\n`);
    expect(published).toContain(`\n${VERSION_DATE}T00:00:00Z\n`);
    const warning = await entryOf(changesFeed(changes));
    expect(warning).toMatch(/^\nWrong results: 1.0.1, 2026-12-01\n/);
    expect(warning).toContain('<strong>Wrong results</strong>, severe, in 1.0.0:');
  });

  test('has no broken links', async () => {
    expect(readBuilt(deployed, 'llms.txt')).toContain('](guide.html)');
    expect(readBuilt(deployed, 'guide.html')).toContain('<a href="clients.html#what-they');
    for (const file of filesOf(deployed, /(?<!404)\.(html|txt)$/)) {
      const text = readBuilt(deployed, file);
      const links = [...text.matchAll(/href="([^"]+)"|\]\(([^)]+)\)/g)].map(
        ([, a, b]) => a ?? b ?? '',
      );
      for (const link of links.filter((each) => !/^(https|data):/.test(each))) {
        const [target = '', fragment] = link.split('#');
        const response = await fetch(new URL(target || file, deployed.served.url));
        const cached = response.headers.get('cache-control');
        expect([file, link, response.status, cached]).toEqual([file, link, 200, 'no-cache']);
        if (fragment) {
          expect(await response.text()).toContain(`id="${fragment}"`);
        }
      }
    }
  });

  test('copies code with its own address, by buttons that cover no code and need its script', async () => {
    const origin = local.served.url.slice(0, -1);
    const { page, faults } = await openPage(context, `${origin}/guide.html`);
    expect(await page.locator('body').innerText()).not.toContain('your-platform.example');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    for (const viewport of SCREENS) {
      await page.setViewportSize(viewport);
      expect(await page.evaluate(COVERED), `${viewport.width}`).toEqual([]);
    }
    const block = page.locator('pre', { hasText: 'except SubjectRefused' });
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(GATE_PY);
    await page.locator('pre', { hasText: 'npm install' }).first().getByRole('button').click();
    await page.waitForFunction(
      `navigator.clipboard.readText().then((text) => text.includes('${origin}/clients/poh-'))`,
    );
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
    await page.locator('pre').last().getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Not copied' }).waitFor();
    expect(faults).toEqual([]);
    expect(readBuilt(deployed, 'guide.html')).not.toContain('>Copy<');
  });

  test('keeps the table of contents visible, and closes it when a section is chosen', async () => {
    const { page } = await openPage(context, `${deployed.served.url}guide.html`, PHONE);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const contents = page.getByRole('navigation', { name: 'On this page' });
    const box = await contents.boundingBox();
    expect([Math.round(box?.y ?? -1), (box?.height ?? 0) < 60]).toEqual([0, true]);
    await contents.getByText('On this page').click();
    await contents.getByRole('link', { name: 'Look up many' }).click();
    const heading = page.getByRole('heading', { name: 'Look up many' });
    await heading.waitFor();
    expect(await contents.locator('details').getAttribute('open')).toBe(null);
    expect((await heading.boundingBox())?.y).toBeGreaterThan(box?.height ?? 0);
    await page.setViewportSize(DESKTOP);
    await page.reload();
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    await contents.getByRole('link', { name: 'Look up many' }).waitFor();
    const [column, main] = [await contents.boundingBox(), await page.locator('main').boundingBox()];
    expect(column?.y).toBe(0);
    expect((column?.x ?? 0) + (column?.width ?? 0)).toBeLessThan(main?.x ?? 0);
  });
});

test('the archives of the clients have the same bytes for the same sources', () => {
  const [first, second] = [deployed, local].map(({ folder }) => {
    const names = readdirSync(join(folder, 'clients'));
    return names.map((name) => [name, readFileSync(join(folder, 'clients', name), 'base64')]);
  });
  expect(first).toEqual(second);
});

test.each([
  ['local', () => local, publicKeySetOf(DEMONSTRATION_SIGNING_KEY)],
  ['deployed', () => deployed, publicKeys],
])('the %s site serves its own public keys, for five minutes', async (_name, site, keys) => {
  const response = await fetch(new URL(KEY_SET_PATH, site().served.url));
  expect(await response.json()).toEqual(keys);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'max-age=300',
    'content-type': 'application/http-message-signatures-directory+json',
  });
});
