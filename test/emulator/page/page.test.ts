// The reference page in a real browser, with the headers that it is served with in production.

import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS } from '../../../functions/src/errors.ts';
import { DEMONSTRATION } from '../../../testbed/demonstrationData.ts';
import { emulatedEndpoint } from '../../../testbed/emulatorAddresses.ts';
import { type ServedSite, serveSite } from '../../../testbed/hosting.ts';
import { seedKey, seedWallet } from '../support/seed.ts';
import { DESKTOP, hasChromium, launchBrowser, openPage, PHONE, REMOTE_HOST } from './browser.ts';

if (!hasChromium) {
  console.warn(
    '\n*** THE PAGE IS NOT TESTED: there is no Chromium (Debian: apt-get install chromium). ***\n',
  );
}

const EMULATOR = new URL(emulatedEndpoint());
const OPERATION = '[id$="/GET/pohAttestationsEndpoint"]';

let browser: Browser;
let served: ServedSite;

beforeAll(async () => {
  if (!hasChromium) return;
  [browser, served] = await Promise.all([launchBrowser(), serveSite()]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), served?.stop()]);
});

/** Goes through the page, which renders a part only when it comes near. */
async function readThrough(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Errors' }).scrollIntoViewIfNeeded();
  await page.locator(OPERATION).first().scrollIntoViewIfNeeded();
  await page.getByText('Query Parameters').first().waitFor();
}

const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** @returns the parts of the page that axe finds hard to read */
async function hardToRead(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return await page.evaluate(`axe
    .run(document, { runOnly: ['color-contrast', 'link-in-text-block'] })
    .then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map((node) => node.html)))`);
}

/** Pastes a key and a wallet of their own, sends the lookup, and expects the emulator's answer. */
async function tryLookup(page: Page): Promise<void> {
  const [key, wallet] = await Promise.all([seedKey(), seedWallet({ attestationType: 0 })]);
  await page
    .getByRole('button', { name: /test request/i })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.scalar-password-input').fill(key);
  await dialog.getByRole('combobox').filter({ hasText: DEMONSTRATION.wallet }).fill(wallet);
  const answered = page.waitForResponse((response) => response.url().startsWith(EMULATOR.href));
  await dialog.getByRole('button', { name: /^send/i }).filter({ visible: true }).first().click();
  const answer = await answered;
  expect(new URL(answer.url()).search).toBe(`?wallet=${wallet}`);
  expect(await answer.json()).toMatchObject({ wallet, count: 1, hasVerifiedHuman: true });
  await dialog.getByText('200 OK').first().waitFor();
}

describe.skipIf(!hasChromium)('the page', () => {
  test.each([
    ['desktop', DESKTOP, 'light'],
    ['phone', PHONE, 'dark'],
  ] as const)('on a %s: can be read, and tries a lookup', async (_, viewport, colorScheme) => {
    const { page, faults } = await openPage(browser, served.url, {
      viewport,
      colorScheme,
      allowed: [EMULATOR.origin],
    });
    const table = page.getByRole('table').filter({ hasText: 'missing_subject' });
    await table.waitFor();
    for (const [code, { status, message }] of Object.entries(ERRORS)) {
      const row = table.getByRole('row').filter({ hasText: message });
      expect(await row.textContent()).toMatch(new RegExp(`^\\s*${status}\\s*${code}\\s*`));
    }
    await readThrough(page);
    expect(await page.getByText('/pohAttestationsEndpoint').count()).toBeGreaterThan(0);
    expect(await hardToRead(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);

    await tryLookup(page);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('served by another machine, it tries nothing and says why', async () => {
    const { page, faults } = await openPage(browser, served.url.replace('127.0.0.1', REMOTE_HOST));
    await readThrough(page);
    expect(await page.getByRole('button', { name: /test request/i }).count()).toBe(0);
    expect(await page.getByText('keys belong on servers').count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await page.close();
  });
});
