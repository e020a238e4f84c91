// Tests the list of keys and the other pages: their layout, their contrast in both schemes and what axe finds. The other
// files check the states that they reach. Also tests the size and policy of the pages.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'playwright-core';
import { expect } from 'vitest';
import { CONSOLE_FOLDERS } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveConsole } from '../../tools/sandbox/hosting.ts';
import { inDays, respondWith } from './adminArea.ts';
import { check, checkDark, QUERY, signIn, test } from './tab.ts';

const FIRST_LOAD_MAX_BYTES = 90 * 1024;

/** The narrowest screen, the widest one with cards and the narrowest one with columns. */
const WIDTHS = [320, 1119, 1120];

const FEW = respondWith([
  { project: 'Acme DAO', active: true, contact: 'security@acme.example', expiresAt: inDays(5) },
  { project: 'Former DAO', active: false, revokedAt: new Date(0), revokedBy: 'cli' },
  { project: 'Acme DAO', active: true, createdBy: 'a-very-long-address.of-an-admin@example.com' },
  { project: `A project whose name is as long as it may be: ${'x'.repeat(54)}`, active: true },
  { project: '<img src=x onerror=alert(1)>', active: true, contact: 'y'.repeat(100) },
  { project: 'שלום DAO (test)', active: true, modes: ['wallet', 'token'], expiresAt: inDays(400) },
  { project: 'Ended DAO', active: true, expiresAt: new Date(0) },
  { project: 'Written by hand', active: 'yes' },
  {
    project: 'Under the wrong id',
    active: true,
    id: 'poh-key-of-somebody-who-wrote-the-id-by-hand',
  },
]);

test('every state of the list of keys is readable, also with forced colours', async ({ admin }) => {
  const { page } = admin;
  await page.route(QUERY, respondWith([]));
  await admin.readAgain();
  await page.getByText('There are no keys yet').waitFor();
  await check(page);
  await page.route(QUERY, (route) => route.abort());
  await page.reload();
  await page.getByRole('heading', { name: 'No connection to the database' }).waitFor();
  expect(await page.getByText('may be out of date').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  await page.route(QUERY, FEW);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row').filter({ hasText: 'Former DAO' }).waitFor();
  // The button that had the focus is gone.
  await page.waitForFunction("document.activeElement.textContent === 'PoH API Keys'");
  await check(page, WIDTHS);
  await checkDark(page);

  await page.emulateMedia({ forcedColors: 'active' });
  const styleOf = (selector: string, property: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((of, name) => getComputedStyle(of).getPropertyValue(name), property);
  const background = 'background-color';
  expect(await styleOf('.primary', background)).not.toBe(await styleOf('.top button', background));
  expect(await styleOf('.badge', 'border-style')).toBe('solid');
});

test('the other pages are readable, and lead to the areas', async ({ open, site }) => {
  const { page } = await open('');
  await page.getByRole('heading', { name: 'Proof of Humanity' }).waitFor();
  await check(page);
  const missing = await page.goto(`${site.url}nothing`);
  expect(missing?.status()).toBe(404);
  await page.getByRole('link', { name: 'Identity proof' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const asset = await page.request.get(`${site.url}assets/nothing.js`);
  expect([asset.status(), asset.headers()['cache-control']]).toEqual([404, 'no-cache']);
});

test.for(['admin', 'identity'])(
  '/%s/ loads few bytes, and enforces its policy',
  async (area, { context, open }) => {
    const loads: Promise<{ size: number; kept: string }>[] = [];
    const describeLoad = async (request: Request) => {
      const { responseBodySize: size } = await request.sizes();
      const caching = await (await request.response())?.headerValue('cache-control');
      const [, folder] = new URL(request.url()).pathname.split('/');
      return { size, kept: `${folder}: ${caching}` };
    };
    context.on('requestfinished', (request) => loads.push(describeLoad(request)));
    const { page, faults } = await open(`${area}/`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const loaded = await Promise.all(loads);
    const bytes = loaded.reduce((sum, { size }) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50 * 1024);
    expect(bytes).toBeLessThan(FIRST_LOAD_MAX_BYTES);
    expect(new Set(loaded.map(({ kept }) => kept))).toEqual(
      new Set([`${area}: no-cache`, '__: no-cache', 'assets: public, max-age=31536000, immutable']),
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

test('built for production, calls Google, and does not refer to the emulators', async ({
  context,
}) => {
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
