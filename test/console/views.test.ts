// Tests the states of both areas of the console: their layout, their contrast in both schemes and what axe
// finds. Also tests the size and policy of the pages.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CONSOLE_FOLDERS } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveConsole } from '../../tools/sandbox/hosting.ts';
import { axeFindings, hasChromium } from '../site/browser.ts';
import { makeAccount } from '../support/client.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import { keysOf, respondWith } from './adminArea.ts';
import { openServer } from './openConsole.ts';
import {
  COMMIT,
  createKey,
  DENIED,
  makeAdmin,
  makeToken,
  openContext,
  openTab,
  QUERY,
  sidewaysScroll,
  signIn,
} from './tab.ts';

const FIRST_LOAD_MAX_BYTES = 90 * 1024;
const server = openServer();

/** The narrowest screen, the widest one with cards and the narrowest one with columns. */
const WIDTHS = [320, 1119, 1120];

const FEW = keysOf([
  { project: 'Acme DAO', active: true, contact: 'security@acme.example' },
  { project: 'Former DAO', active: false },
  { project: 'Acme DAO', active: true, createdBy: 'a-very-long-address.of-an-admin@example.com' },
  { project: `A project whose name is as long as it may be: ${'x'.repeat(54)}`, active: true },
  { project: '<img src=x onerror=alert(1)>', active: true, contact: 'y'.repeat(100) },
  { project: 'שלום DAO (test)', active: true, createdBy: '3sWTvrOLT3Spm4cDWvMz2LgMWPxk' },
  { project: 'Written by hand', active: 'yes' },
  {
    project: 'Under the wrong id',
    active: true,
    id: 'poh-key-of-somebody-who-wrote-the-id-by-hand',
  },
]);

async function checkState(page: Page, state: string): Promise<void> {
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    expect(await sidewaysScroll(page), `${state}, ${width}`).toBe(0);
  }
  expect(await axeFindings(page), state).toEqual([]);
}

/** Only colours depend on the scheme. Call it in states that together have all of them. */
async function checkDark(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await axeFindings(page, ['color-contrast']), `${state}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

// Some states appear only after seconds, so the tests run concurrently.
const CONCURRENT_TESTS = { timeout: 300_000, concurrent: true };

describe.skipIf(!hasChromium)('every state', CONCURRENT_TESTS, () => {
  test('of the admin area is readable', async () => {
    await using context = await openContext(server.browser);
    const { page } = await openTab(context, `${server.site.url}admin/`);
    const check = (state: string): Promise<void> => checkState(page, `admin ${state}`);
    const account = await makeAdmin();

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, { ...account, password: 'wrong' });
    await page.getByRole('alert').filter({ hasText: 'is wrong' }).waitFor();
    await check('sign-in refused');

    await page.route(QUERY, respondWith([]));
    await signIn(page, account);
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    await check('empty');

    await page.route(QUERY, (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'No connection to the database' }).waitFor();
    expect(await page.getByText('may be out of date').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    await page.route(QUERY, respondWith(FEW));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row').filter({ hasText: 'Former DAO' }).waitFor();
    // The button that had the focus is gone.
    await page.waitForFunction("document.activeElement.textContent === 'PoH API Keys'");
    await check('list');
    await checkDark(page, 'list');

    const press = (name: string | RegExp): Promise<void> =>
      page.getByRole('button', { name }).last().click();
    await press(/^Revoke/);
    await page.keyboard.press('Enter');
    await page.getByText('This is not the last four characters').waitFor();
    await check('revoking');
    await checkDark(page, 'revoking');
    await page.keyboard.press('Escape');
    await press('Create key');
    await page.getByLabel('Contact').fill('x'.repeat(101));
    await page.keyboard.press('Enter');
    await page.getByText('Name the project that').waitFor();
    const badContact = page.getByText('Give the contact in');
    expect(await badContact.count()).toBe(1);
    await page.getByLabel('Ends').selectOption('After a date');
    await check('naming');
    await checkDark(page, 'naming');
    await page.getByLabel('Ends').selectOption('Never');
    await page.route(COMMIT, (route) => route.abort());
    await page.getByLabel('Project', { exact: true }).fill('Acme DAO');
    await page.keyboard.press('Enter');
    await page.getByText('Name the project that').waitFor({ state: 'detached' });
    expect(await badContact.count()).toBe(1);
    await page.getByLabel('Contact').fill('');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'It is not known' }).waitFor();
    await check('unknown');
    await press('Give up');
    await page.locator('.warning', { hasText: 'It is not known whether a key' }).waitFor();
    await check('given up');
    await checkDark(page, 'given up');
    await page.unroute(COMMIT);
    await createKey(page, 'Acme DAO');
    await press('Copy');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await check('shown');
    await press('I have stored it');
    const created = page.getByRole('status').filter({ hasText: 'A key for Acme DAO was created.' });
    expect(await created.getAttribute('class')).toBe('outcome');
    await checkDark(page, 'created');

    await page.unroute(QUERY);
    await seedAdmin(account.uid, false);
    await page.reload();
    await page.getByRole('heading', { name: 'You are not an admin' }).waitFor();
    await check('refused');
    await page.emulateMedia({ forcedColors: 'active' });
    await seedAdmin(account.uid, true);
    await page.reload();
    const colourOf = (name: string): Promise<string> =>
      page
        .getByRole('button', { name })
        .evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(await colourOf('Create key')).not.toBe(await colourOf('Sign out'));
  });

  test('of the other pages is readable, and they lead to the areas', async () => {
    await using context = await openContext(server.browser);
    const { page } = await openTab(context, server.site.url);
    await page.getByRole('heading', { name: 'Proof of Humanity' }).waitFor();
    await checkState(page, 'start');
    const missing = await page.goto(`${server.site.url}nothing`);
    expect(missing?.status()).toBe(404);
    await checkState(page, 'not found');
    await page.getByRole('link', { name: 'Identity proof' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const asset = await page.request.get(`${server.site.url}assets/nothing.js`);
    expect([asset.status(), asset.headers()['cache-control']]).toEqual([404, 'no-cache']);
  });

  test('of the identity-proof area is readable', async () => {
    await using context = await openContext(server.browser);
    const { page } = await openTab(context, `${server.site.url}identity/`);
    const check = (state: string): Promise<void> => checkState(page, `identity ${state}`);
    await signIn(page, await makeAccount());
    await page.getByRole('heading', { name: 'Your account has no wallet yet' }).waitFor();
    await page.getByText('You have no tokens.').waitFor();
    const footer = page.getByRole('contentinfo');
    expect(await footer.textContent()).toContain('This service is run by Example Platform.');
    const links = footer.getByRole('link');
    expect(await links.allTextContents()).toEqual(['Help', 'Privacy']);
    await check('no wallet');
    await page.getByRole('button', { name: 'Sign out' }).click();

    const account = await makeAccount({ wallet: randomWallet() });
    await seedTokens(account.uid);
    await signIn(page, account);
    const generate = page.getByRole('button', { name: 'Generate Verification Token' });
    await page.route(COMMIT, (route) => route.fulfill({ status: 403, json: DENIED }));
    await generate.click();
    await page.getByRole('heading', { name: 'Verify your e-mail address first' }).waitFor();
    await check('unverified');
    await checkDark(page, 'unverified');
    await page.route(COMMIT, (route) => route.abort());
    await generate.click();
    await page.getByText('It is not known whether a token was created').waitFor();
    await check('unknown');
    await page.unroute(COMMIT);
    await generate.click();
    await page.getByText('Your token is ready.').waitFor();
    await check('all tokens');
    await checkDark(page, 'all tokens');
    await page
      .getByRole('button', { name: /^Revoke the/ })
      .first()
      .click();
    await page.route(COMMIT, (route) => route.fulfill({ status: 403, json: DENIED }));
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('The database refused it').waitFor();
    await check('revocation refused');
  });
});

/** Seeds more tokens than are shown at first, in each state. */
const seedTokens = (uid: string): Promise<unknown> =>
  Promise.all(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 26, 30].map((hours) =>
      makeToken(uid, new Date(Date.now() - hours * 60 * 60 * 1000), { revoked: hours % 4 === 0 }),
    ),
  );

describe.skipIf(!hasChromium)('the console', () => {
  test.each(['admin', 'identity'])(
    '/%s/ loads few bytes, and enforces its policy',
    async (area) => {
      await using context = await openContext(server.browser);
      const loads: Promise<{ size: number; kept: string }>[] = [];
      const describeLoad = async (request: Request) => {
        const { responseBodySize: size } = await request.sizes();
        const caching = await (await request.response())?.headerValue('cache-control');
        const [, folder] = new URL(request.url()).pathname.split('/');
        return { size, kept: `${folder}: ${caching}` };
      };
      context.on('requestfinished', (request) => loads.push(describeLoad(request)));
      const { page, faults } = await openTab(context, `${server.site.url}${area}/`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const loaded = await Promise.all(loads);
      const bytes = loaded.reduce((sum, { size }) => sum + size, 0);
      expect(bytes).toBeGreaterThan(50 * 1024);
      expect(bytes).toBeLessThan(FIRST_LOAD_MAX_BYTES);
      expect(new Set(loaded.map(({ kept }) => kept))).toEqual(
        new Set([
          `${area}: no-cache`,
          '__: no-cache',
          'assets: public, max-age=31536000, immutable',
        ]),
      );
      // The page requests no second script, and nothing twice.
      expect(loaded.length).toBeLessThanOrEqual(6);
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

  test('built for production, calls Google, and does not refer to the emulators', async () => {
    execFileSync(process.execPath, ['tools/console.ts']);
    const folder = CONSOLE_FOLDERS.production;
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name));
    expect(files.length).toBeGreaterThan(5);
    const found = files.flatMap((file) => [
      ...(file + readFileSync(file, 'utf8')).matchAll(
        /127\.0\.0\.1|demonstration data|Example Platform|demo-poh|init\.json$/g,
      ),
    ]);
    expect(found).toEqual([]);
    const licenses = readFileSync(join(folder, 'licenses.txt'), 'utf8');
    for (const part of ['preact ', '@firebase/auth ', 'The MIT License', 'Apache License'])
      expect(licenses).toContain(part);

    const site = await serveConsole(0, folder);
    await using context = await openContext(server.browser);
    const called: string[] = [];
    const settings = {
      projectId: 'a-project',
      apiKey: 'key',
      appId: 'app',
      authDomain: 'a.domain',
    };
    await context.route('**/init.json', (route) => route.fulfill({ json: settings }));
    await context.route(/^https:/, (route) => {
      called.push(route.request().url().replace(/\?.*/, ''));
      const error = {
        message: called.length === 1 ? 'INVALID_LOGIN_CREDENTIALS' : 'USER_DISABLED',
      };
      const headers = { 'Access-Control-Allow-Origin': '*' };
      return route.fulfill({ status: 400, headers, json: { error } });
    });
    const page = await context.newPage();
    await page.goto(`${site.url}admin/`);
    await signIn(page, { uid: '', email: 'admin@example.com', password: 'wrong' });
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    // operator.json is empty.
    expect(await page.getByRole('contentinfo').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.getByText('This account is disabled.').waitFor();
    const accounts = 'https://identitytoolkit.googleapis.com/v1/accounts';
    expect(called).toEqual([`${accounts}:signInWithPassword`, `${accounts}:createAuthUri`]);
    await site.stop();
  });
});
