// Tests the pages outside the areas, and of both areas the size, the enforced policy and the build for production.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { CONSOLE_FOLDERS } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveConsole } from '../../tools/sandbox/hosting.ts';
import { check, signIn, test } from './tab.ts';

const FIRST_LOAD_MAX_BYTES = 90 * 1024;

test('the other pages are readable, and lead to the areas', async ({ open, site }) => {
  const page = await open('');
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
  async (area, { context, faults, open }) => {
    const loads: Promise<{ size: number; kept: string }>[] = [];
    const describeLoad = async (request: Request) => {
      const { responseBodySize: size } = await request.sizes();
      const caching = await (await request.response())?.headerValue('cache-control');
      const [, folder] = new URL(request.url()).pathname.split('/');
      return { size, kept: `${folder}: ${caching}` };
    };
    const session = await context.newCDPSession(await context.newPage());
    await session.send('Network.clearBrowserCache');
    context.on('requestfinished', (request) => loads.push(describeLoad(request)));
    const page = await open(`${area}/`);
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

    for (const attempt of [
      "document.body.innerHTML = '<b>x</b>'",
      "document.createElement('script').src = '/x.js'",
      "setTimeout('1')",
    ]) {
      await expect(page.evaluate(attempt), attempt).rejects.toThrow(/TrustedHTML|TrustedScript/);
    }
    expect(faults.splice(0)).toHaveLength(3);
  },
);

test('built for production, calls Google, and does not refer to the emulators', async ({
  context,
}) => {
  const { stderr } = spawnSync(process.execPath, ['tools/console.ts'], { encoding: 'utf8' });
  expect(stderr).toContain('do not say who runs the service. Set operator in');
  const folder = CONSOLE_FOLDERS.production;
  const files = globSync(`${folder}/**/*.*`);
  expect(files.length).toBeGreaterThan(5);
  const found = files.flatMap((file) => [
    ...(file + readFileSync(file, 'utf8')).matchAll(
      /127\.0\.0\.1|demonstration data|Example Operator|demo-poh|init\.json$/g,
    ),
  ]);
  expect(found).toEqual([]);
  const start = readFileSync(join(folder, 'admin/index.html'), 'utf8');
  for (const part of [
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<noscript>This page needs JavaScript.</noscript>',
  ])
    expect(start).toContain(part);
  const licenses = readFileSync(join(folder, 'licenses.txt'), 'utf8');
  for (const part of ['preact ', '@firebase/auth ', 'The MIT License', 'Apache License'])
    expect(licenses).toContain(part);

  const site = await serveConsole(0, folder);
  onTestFinished(site.stop);
  const called: string[] = [];
  const settings = { projectId: 'p', apiKey: 'key', appId: 'app', authDomain: 'a.domain' };
  await context.route('**/init.json', (route) => route.fulfill({ json: settings }));
  await context.route(/^https:/, (route) => {
    called.push(route.request().url().replace(/\?.*/, ''));
    const message = called.length === 1 ? 'INVALID_LOGIN_CREDENTIALS' : 'USER_DISABLED';
    const headers = { 'Access-Control-Allow-Origin': '*' };
    return route.fulfill({ status: 400, headers, json: { error: { message } } });
  });
  const page = await context.newPage();
  await page.goto(`${site.url}admin/`);
  await signIn(page, { uid: '', email: 'admin@example.com', password: 'wrong' });
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  // The build has no settings.
  expect(await page.getByRole('contentinfo').count()).toBe(0);
  await page.getByRole('button', { name: 'Sign in with Google' }).click();
  await page.getByText('This account is disabled.').waitFor();
  const accounts = 'https://identitytoolkit.googleapis.com/v1/accounts';
  expect(called).toEqual([`${accounts}:signInWithPassword`, `${accounts}:createAuthUri`]);
});
