// The site in a real browser, with the headers that Hosting sends: as it is deployed, and as
// `npm start` serves it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS } from '../../functions/src/lookup/errors.ts';
import { buildSite } from '../../page/build.ts';
import { DEMONSTRATION } from '../../sandbox/demonstrationData.ts';
import { type ServedSite, serveSite } from '../../sandbox/hosting.ts';
import { seedKey, seedWallet } from '../support/seed.ts';
import {
  axeFindings,
  DESKTOP,
  hasChromium,
  launchBrowser,
  openPage,
  PHONE,
  REMOTE_HOST,
} from './browser.ts';

if (!hasChromium) {
  console.warn(
    '\n*** THE PAGE IS NOT TESTED: there is no Chromium (Debian: apt-get install chromium). ***\n',
  );
}

/** At 10 Mbit/s this is 80 ms. */
const BYTES_MAX = 100_000;

const VIEWS = [
  ['desktop, light', DESKTOP, 'light'],
  ['desktop, dark', DESKTOP, 'dark'],
  ['phone, light', PHONE, 'light'],
  ['phone, dark', PHONE, 'dark'],
] as const;

interface Site {
  readonly folder: string;
  readonly served: ServedSite;
}

let browser: Browser;
let deployed: Site;
let local: Site;

async function openSite(options: { local: boolean }): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  await buildSite(folder, options);
  return { folder, served: await serveSite(0, folder) };
}

beforeAll(async () => {
  if (!hasChromium) return;
  [browser, deployed, local] = await Promise.all([
    launchBrowser(),
    openSite({ local: false }),
    openSite({ local: true }),
  ]);
});

afterAll(async () => {
  const sites = [deployed, local].filter((site) => site !== undefined);
  await Promise.all([browser?.close(), ...sites.map(({ served }) => served.stop())]);
  for (const { folder } of sites) rmSync(folder, { recursive: true });
});

const pagesOf = ({ folder }: Site): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.html'));

const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

describe.skipIf(!hasChromium)('the site', () => {
  test.each(VIEWS)('%s: every page can be read', async (_, viewport, colorScheme) => {
    const seen = [];
    for (const name of pagesOf(local)) {
      const url = `${local.served.url}${name}`;
      const { page, faults } = await openPage(browser, url, { viewport, colorScheme });
      for (const example of await page.locator('summary').all()) await example.click();
      seen.push([name, await axeFindings(page), await sidewaysScroll(page), faults]);
      await page.close();
    }
    expect(seen).toEqual(pagesOf(local).map((name) => [name, [], 0, []]));
  });

  test('shows every error of the service, without a script too', () => {
    const text = readFileSync(join(deployed.folder, 'index.html'), 'utf8');
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(text).toMatch(new RegExp(`<td>${status}</td>\\s*<td><code>${code}</code></td>`));
    }
  });

  test('is small, and sent compressed', async () => {
    const { page } = await openPage(browser, 'about:blank');
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) =>
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
    );
    const response = await page.goto(deployed.served.url, { waitUntil: 'networkidle' });
    expect(response?.headers()['content-encoding']).toMatch(/^(br|gzip)$/);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(BYTES_MAX);
    await page.close();
  });

  test('deployed, names its own address and nothing of this repository', async () => {
    const origin = deployed.served.url.replace('127.0.0.1', REMOTE_HOST).slice(0, -1);
    for (const name of pagesOf(deployed)) {
      const { page, faults } = await openPage(browser, `${origin}/${name}`);
      const addresses = await page.locator('[data-site-address]').allTextContents();
      expect(new Set(addresses)).toEqual(new Set(addresses.length > 0 ? [origin] : []));
      const text = await page.locator('body').innerText();
      expect(text).not.toMatch(/npm start|npm run|emulator|127\.0\.0\.1(?!:4010)/i);
      expect(faults).toEqual([]);
      await page.close();
    }
    expect(pagesOf(deployed)).toEqual(['changes.html', 'guide.html', 'index.html']);
    for (const name of readdirSync(deployed.folder).filter((file) => /\.\w+$/.test(file))) {
      expect(readFileSync(join(deployed.folder, name), 'utf8')).not.toMatch(/npm (start|run)/);
    }
  });

  test('started here, tries a lookup', async () => {
    const [key, wallet] = await Promise.all([seedKey(), seedWallet({ attestationType: 0 })]);
    const { page, faults } = await openPage(browser, `${local.served.url}try.html`);
    const value = page.getByLabel('Value');
    expect(await value.inputValue()).toBe(DEMONSTRATION.wallet);
    await page.getByLabel('token').check();
    expect(await value.inputValue()).toBe(DEMONSTRATION.token);
    await page.getByLabel('wallet').check();
    await value.fill(wallet);
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('HTTP 200').waitFor();
    const answer = await page.getByRole('status').textContent();
    expect(answer).toContain(`"wallet": "${wallet}"`);
    expect(answer).toContain('"hasVerifiedHuman": true');
    expect(faults).toEqual([]);
    await page.close();
  });
});
