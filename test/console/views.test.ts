// Both pages of the console as people meet them: every state on a wide and a narrow screen, light
// and dark, by keyboard alone, with a thousand keys, and what they load under which policy.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CONSOLE_FOLDERS } from '../../sandbox/emulatorAddresses.ts';
import { type ServedSite, serveConsole } from '../../sandbox/hosting.ts';
import { DESKTOP, hasChromium, launchBrowser, PHONE } from '../page/browser.ts';
import { makeAccount } from '../support/client.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import {
  axeFindings,
  makeAdmin,
  openContext,
  openTab,
  sidewaysScroll,
  signIn,
  type View,
} from './tab.ts';

const QUERY = '**/documents:runQuery*';
const COMMIT = '**/documents:commit*';
const FIRST_LOAD_MAX_BYTES = 200 * 1024;
/** Where pictures of every state are left to be looked at; undefined leaves none. */
const PICTURES = process.env['CONSOLE_PICTURES'];

let browser: Browser;
let site: ServedSite;
let context: BrowserContext | undefined;

beforeAll(async () => {
  if (!hasChromium) return;
  [browser, site] = await Promise.all([launchBrowser(), serveConsole()]);
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
});
afterAll(async () => {
  await Promise.all([browser?.close(), site?.stop()]);
});
afterEach(async () => {
  await context?.close();
});

const VIEWS: readonly (readonly [string, View])[] = [
  ['desktop, light', { viewport: DESKTOP, colorScheme: 'light' }],
  ['desktop, dark', { viewport: DESKTOP, colorScheme: 'dark' }],
  ['phone, light', { viewport: PHONE, colorScheme: 'light' }],
  ['phone, dark', { viewport: PHONE, colorScheme: 'dark' }],
];

/** No hex digits, so that no id contains it. */
const hintOf = (i: number): string => `h${i.toString(36).padStart(3, '0')}`;

/** Keys as Firestore returns them from a query. */
function keysOf(records: readonly { project: string; active: boolean }[]) {
  const readTime = '2026-11-21T12:00:00.000000Z';
  return records.map(({ project, active }, i) => ({
    readTime,
    document: {
      name: `projects/demo-poh/databases/(default)/documents/apiKeys/${i.toString(16).padStart(64, '0')}`,
      createTime: readTime,
      updateTime: readTime,
      fields: {
        active: { booleanValue: active },
        project: { stringValue: project },
        hint: { stringValue: hintOf(i) },
        createdAt: { timestampValue: new Date(Date.UTC(2026, 9, 1) + i * 60_000).toISOString() },
        createdBy: { stringValue: 'ops@example.com' },
        ...(!active && {
          revokedAt: { timestampValue: '2026-11-02T09:30:00Z' },
          revokedBy: { stringValue: 'cli' },
        }),
      },
    },
  }));
}

const FEW = keysOf([
  { project: 'Acme DAO', active: true },
  { project: 'Former DAO', active: false },
  { project: `A project whose name is as long as it may be: ${'x'.repeat(54)}`, active: true },
  { project: '<img src=x onerror=alert(1)>', active: true },
]);

const respondWith =
  (keys: unknown) =>
  (route: Route): Promise<void> =>
    route.fulfill({ json: keys });

/** Expects what is promised of every state, and saves a picture of it. */
async function look(page: Page, state: string, view: string): Promise<void> {
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  expect(await axeFindings(page), state).toEqual([]);
  expect(await sidewaysScroll(page), state).toBe(0);
  if (PICTURES === undefined) return;
  await page.screenshot({ path: join(PICTURES, `${state}-${view}.png`.replaceAll(/[ ,]+/g, '-')) });
}

describe.skipIf(!hasChromium).each(VIEWS)('on a %s', { timeout: 180_000 }, (name, view) => {
  test('every state of the admin area can be read', async () => {
    context = await openContext(browser, view);
    const { page } = await openTab(context, `${site.url}admin/`);
    const seen = (state: string): Promise<void> => look(page, `admin ${state}`, name);
    const account = await makeAdmin();

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await seen('sign-in');
    await signIn(page, { ...account, password: 'wrong' });
    await page.getByRole('alert').filter({ hasText: 'is wrong' }).waitFor();
    await seen('sign-in refused');

    await page.route(QUERY, respondWith([]));
    await signIn(page, account);
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    await seen('empty');

    await page.route(QUERY, (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'No connection to the database' }).waitFor();
    await seen('unreachable');

    await page.route(QUERY, respondWith(FEW));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row').filter({ hasText: 'Acme DAO' }).waitFor();
    await seen('list');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No key fits.').waitFor();
    await seen('nothing found');
    await page.getByRole('searchbox').fill('');

    await page
      .getByRole('button', { name: /^Rotate/ })
      .first()
      .click();
    await seen('rotating');
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await page.keyboard.press('Enter');
    await page.getByText('That is not the name above').waitFor();
    await seen('revoking');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.keyboard.press('Enter');
    await page.getByText('Name the project in').waitFor();
    await seen('naming');
    await page.getByLabel('Project').fill('Acme DAO');
    await page.route(COMMIT, (route) => route.abort());
    await page.keyboard.press('Enter');
    await page.getByText('Storing…').waitFor();
    await seen('storing');
    await page.getByRole('heading', { name: 'It is not known' }).waitFor();
    await seen('unknown');
    await page.unroute(COMMIT);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'The new key of Acme DAO' }).waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    await seen('shown');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('A key of Acme DAO was created.').waitFor();
    await seen('created');

    await page.clock.setSystemTime(Date.now() + 13 * 60 * 60 * 1000);
    await page.getByRole('heading', { name: 'Sign in again to change anything' }).waitFor();
    await seen('too old');
    await page.clock.setSystemTime(Date.now());
    await page.unroute(QUERY);
    await seedAdmin(account.uid, false);
    await page.reload();
    await page.getByRole('heading', { name: 'You are not an admin' }).waitFor();
    await seen('refused');
  });

  test('every state of the identity-proof area can be read', async () => {
    context = await openContext(browser, view);
    const { page } = await openTab(context, `${site.url}identity/`);
    const seen = (state: string): Promise<void> => look(page, `identity ${state}`, name);
    await signIn(page, await makeAccount());
    await page.getByRole('heading', { name: 'Your account has no wallet yet' }).waitFor();
    await page.getByText('You have not made a token yet.').waitFor();
    await seen('no wallet');
    await page.getByRole('button', { name: 'Sign out' }).click();

    await signIn(page, await makeAccount({ wallet: randomWallet() }));
    const generate = page.getByRole('button', { name: 'Generate Verification Token' });
    await page.route(COMMIT, (route) => route.fulfill({ status: 403, json: DENIED }));
    await generate.click();
    await page.getByRole('heading', { name: 'Verify your e-mail address first' }).waitFor();
    await seen('unverified');
    await page.unroute(COMMIT);
    await generate.click();
    await page.getByRole('heading', { name: 'Your new token' }).waitFor();
    await seen('token');
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await seen('revoking');
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('The token is revoked.').waitFor();
    await seen('revoked');
  });
});

const DENIED = { error: { code: 403, message: '', status: 'PERMISSION_DENIED' } };

/** What has the focus: its role by tag, and its text or name. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    const name = activeElement?.getAttribute('aria-label') ?? activeElement?.textContent;
    return `${activeElement?.tagName.toLowerCase()} ${name ?? ''}`.trim();
  });

describe.skipIf(!hasChromium)('the console', () => {
  test('is worked by keyboard alone, and keeps the focus in dialogs', async () => {
    context = await openContext(browser);
    const { page } = await openTab(context, `${site.url}admin/`);
    const { email, password } = await makeAdmin();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    await press('Tab');
    await page.keyboard.type(email);
    await press('Tab');
    await page.keyboard.type(password);
    await press('Enter');

    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await expect.poll(() => focused(page)).toBe('h1 PoH API Keys');
    await press('Tab');
    expect(await focused(page)).toBe('button Create key');
    await press('Enter');
    const project = `Acme ${crypto.randomUUID()}`;
    await page.keyboard.type(project);
    await press('Enter');
    await page.getByRole('heading', { name: `The new key of ${project}` }).waitFor();
    await expect.poll(() => focused(page)).toBe(`h2 The new key of ${project}`);
    for (let i = 0; i < 8; i += 1) {
      await press('Tab');
      expect(await focused(page)).toMatch(/^(button (Copy|I have stored it)|body)/);
    }
    while ((await focused(page)) !== 'button I have stored it') await press('Tab');
    await press('Enter');
    await expect.poll(() => focused(page)).toBe(`p A key of ${project} was created.`);

    await page.getByRole('row').filter({ hasText: project }).waitFor();
    while (!(await focused(page)).startsWith('button Revoke')) await press('Tab');
    const opener = await focused(page);
    await press('Enter');
    await press('Escape');
    expect(await focused(page)).toBe(opener);
    await press('Enter');
    await page.keyboard.type(project);
    await press('Enter');
    await expect
      .poll(() => focused(page))
      .toMatch(/^p The key [0-9a-f]{12} of Acme .* is revoked\.$/);
  });

  test('shows a thousand keys step by step, and finds one', async () => {
    context = await openContext(browser);
    const { page } = await openTab(context, `${site.url}admin/`);
    const thousand = Array.from({ length: 1_000 }, (_, i) => ({
      project: `Project ${i}`,
      active: i % 4 !== 0,
    }));
    await page.route(QUERY, respondWith(keysOf(thousand)));
    await signIn(page, await makeAdmin());
    const rows = page.locator('tbody tr');
    await page.getByText('1000 keys', { exact: true }).waitFor();
    expect(await rows.count()).toBe(100);
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    expect(await rows.count()).toBe(200);
    await page.getByRole('searchbox').fill('project 77');
    await page.getByText('11 of 1000 keys').waitFor();
    await page.getByLabel('Active only').check();
    await page.getByText('9 of 1000 keys').waitFor();
    expect(await rows.filter({ hasText: 'Revoked' }).count()).toBe(0);
    await page.getByRole('searchbox').fill(hintOf(77));
    await page.getByText('1 of 1000 keys').waitFor();
  });

  test.each(['admin', 'identity'])(
    '/%s/ loads little, under a policy that is enforced',
    async (area) => {
      context = await openContext(browser);
      const loads: Promise<number>[] = [];
      context.on('requestfinished', (request) => {
        loads.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
      });
      const { page, faults } = await openTab(context, `${site.url}${area}/`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const bytes = (await Promise.all(loads)).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(50 * 1024);
      expect(bytes).toBeLessThan(FIRST_LOAD_MAX_BYTES);
      expect(faults).toEqual([]);

      for (const attempt of [
        "document.body.innerHTML = '<b>x</b>'",
        "document.createElement('script').src = '/x.js'",
        "setTimeout('1')",
      ]) {
        await expect(page.evaluate(attempt), attempt).rejects.toThrow(/TrustedHTML|TrustedScript/);
      }
    },
  );

  test('built for production, knows no emulator', () => {
    execFileSync(process.execPath, ['scripts/console.ts']);
    const folder = CONSOLE_FOLDERS.production;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name));
    expect(files.length).toBeGreaterThan(5);
    const found = files.flatMap((file) => [
      ...(file + readFileSync(file, 'utf8')).matchAll(
        /127\.0\.0\.1|demonstration data|demo-poh|init\.json$/g,
      ),
    ]);
    expect(found).toEqual([]);
  });
});
