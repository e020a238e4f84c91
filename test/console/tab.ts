// The fixtures of the console's tests: tabs in headless Chromium, which record their faults, and what their user does.

import type { BrowserContext, Page, Request, Route } from 'playwright-core';
import { test as base } from 'vitest';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { EMULATOR_PORTS } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveConsole } from '../../tools/sandbox/hosting.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { DESKTOP, hasChromium, launchBrowser } from '../site/browser.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import { adminPage } from './adminArea.ts';

export { sidewaysScroll } from '../site/browser.ts';

export interface Tab {
  readonly page: Page;
  /** Foreign requests, errors and warnings in the browser's console, and uncaught errors. */
  readonly faults: string[];
  /** Every request of the page: its address, headers and body. */
  readonly sent: string[];
  /** Everything that was written to the browser's console. */
  readonly logged: string[];
}

/** The browser reports each refused request in its console. The page shows its own message. */
const REFUSED_REQUEST = /^Failed to load resource/;

/** The page's queries to Firestore. */
export const QUERY = '**/documents:runQuery*';
/** The page's writes to Firestore. */
export const COMMIT = '**/documents:commit*';
/** Firestore's response when the rules refuse. */
const DENIED = { error: { code: 403, message: '', status: 'PERMISSION_DENIED' } };
export const deny = (route: Route): Promise<void> => route.fulfill({ status: 403, json: DENIED });

/** The emulators, which the page calls instead of Google. */
const EMULATORS = Object.values(EMULATOR_PORTS).map((port) => `http://127.0.0.1:${port}`);

async function openTab(context: BrowserContext, url: string): Promise<Tab> {
  const page = await context.newPage();
  const tab: Tab = { page, faults: [], sent: [], logged: [] };
  const origins = [new URL(url).origin, ...EMULATORS];
  page.on('console', (message) => {
    tab.logged.push(message.text());
    const isFault = ['error', 'warning'].includes(message.type());
    if (isFault && !REFUSED_REQUEST.test(message.text())) tab.faults.push(message.text());
  });
  page.on('pageerror', (error) => tab.faults.push(error.message));
  page.on('request', (request) => {
    tab.sent.push(describe(request));
    if (!origins.includes(new URL(request.url()).origin))
      tab.faults.push(`foreign request: ${request.url()}`);
  });
  await page.goto(url);
  return tab;
}

const describe = (request: Request): string =>
  [request.url(), JSON.stringify(request.headers()), request.postData() ?? ''].join(' ');

/** Each test has a separate browser context. After a failed test, its pages' texts are printed. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const [site, browser] = [await serveConsole(), hasChromium ? await launchBrowser() : undefined];
    onCleanup(async () => {
      await Promise.all([browser?.close(), site.stop()]);
    });
    return { site, browser };
  })
  .extend('site', ({ server }) => server.site)
  .extend('context', async ({ server, skip, task }, { onCleanup }) => {
    if (!server.browser) return skip('Chromium is not installed');
    const permissions = ['clipboard-write'];
    const context = await server.browser.newContext({ viewport: DESKTOP, permissions });
    onCleanup(async () => {
      const pages = task.result?.state === 'fail' ? context.pages() : [];
      const shown = await Promise.all(pages.map((page) => page.locator('body').innerText()));
      if (shown.length > 0) console.error(`The pages showed:\n${shown.join('\n----\n')}`);
      await context.close();
    });
    return context;
  })
  /** Opens a page of the site, and signs in if an account is given. */
  .extend('open', ({ context, site }) => async (path: string, account?: Account): Promise<Tab> => {
    const tab = await openTab(context, site.url + path);
    if (!account) return tab;
    await signIn(tab.page, account);
    await tab.page.getByRole('button', { name: 'Sign out' }).waitFor();
    return tab;
  })
  /** Opens the admin area, and signs in as a new admin. */
  .extend('openAdmin', ({ open }) => async () => {
    const account = await makeAdmin();
    const tab = await open('admin/', account);
    await tab.page.getByRole('button', { name: 'Create key' }).waitFor();
    return { ...tab, ...account, ...adminPage(tab.page) };
  })
  .extend('admin', ({ openAdmin }) => openAdmin());

export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function makeAdmin(): Promise<Account> {
  const account = await makeAccount();
  await seedAdmin(account.uid, true, { email: account.email });
  return account;
}

/** Stores a token of a user. @param changes replaces fields of the record @returns the token */
export async function makeToken(
  uid: string,
  createdAt: Date,
  changes: object = {},
): Promise<string> {
  const token = crypto.randomUUID();
  const record = newTokenRecord(randomWallet(), uid, createdAt);
  await openEmulators()
    .db.collection('verificationTokens')
    .doc(token)
    .set({ ...record, ...changes });
  return token;
}

/** A time as the pages show it. @param ms milliseconds since the epoch */
export const shownTime = (page: Page, ms: number): Promise<string> =>
  page.evaluate(
    (shown) => Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' }).format(shown),
    ms,
  );

/** Describes the focused element by its tag and its name or text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    const name = activeElement?.getAttribute('aria-label') ?? activeElement?.textContent;
    return `${activeElement?.tagName.toLowerCase()} ${name ?? ''}`.trim();
  });

/** @returns the text that is pasted into another page */
export async function pasted(context: BrowserContext): Promise<string> {
  const elsewhere = await context.newPage();
  await elsewhere.setContent('<textarea></textarea>');
  await elsewhere.locator('textarea').focus();
  await elsewhere.keyboard.press('Control+V');
  const text = await elsewhere.locator('textarea').inputValue();
  await elsewhere.close();
  return text;
}

/** @returns everything that the browser stores for the site, and the attributes and fields of the page */
export const keptText = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const caches_ = await caches.keys();
    const fields = [...document.querySelectorAll('input')].map(({ value }) => value);
    const attributes = [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
      [...attributes].map(({ value }) => value),
    );
    return JSON.stringify([
      location.href,
      history.state,
      document.title,
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      databases,
      caches_,
      fields,
      attributes,
    ]);
  });
