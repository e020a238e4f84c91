// The fixtures of the console's tests: tabs in headless Chromium, which record their faults, and what their user does.

import type { BrowserContext, Page, Request, Route } from 'playwright-core';
import { test as base, expect, type TestContext } from 'vitest';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { EMULATOR_PORTS } from '../../tools/sandbox/emulatorAddresses.ts';
import { serveConsole } from '../../tools/sandbox/hosting.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import {
  axeFindings,
  DESKTOP,
  hasChromium,
  launchBrowser,
  NARROW,
  sidewaysScroll,
} from '../site/browser.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { randomWallet, seedAdmin, seedWallet } from '../support/seed.ts';
import { adminPage } from './adminArea.ts';

const TOKENS = openEmulators().db.collection('verificationTokens');

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

/** Prints the texts of the pages after a failed test. */
async function report(context: BrowserContext, { result }: TestContext['task']): Promise<void> {
  const pages = result?.state === 'fail' ? context.pages() : [];
  const shown = await Promise.all(pages.map((page) => page.locator('body').innerText()));
  if (shown.length > 0) console.error(`The pages showed:\n${shown.join('\n----\n')}`);
}

async function openSignedIn(context: BrowserContext, url: string, account: Account): Promise<Tab> {
  const tab = await openTab(context, url);
  await signIn(tab.page, account);
  await tab.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return tab;
}

/** Signs in, and begins each later page of the context with this session. */
async function keepSession(context: BrowserContext, url: string, account: Account) {
  const { page } = await openSignedIn(context, url, account);
  const session = await page.evaluate(() => Object.entries(sessionStorage));
  await page.close();
  await context.addInitScript((items) => {
    if (location.protocol !== 'http:') return;
    for (const [name, value] of items) sessionStorage.setItem(name, value);
  }, session);
  return { context, url, account };
}

type Session = Awaited<ReturnType<typeof keepSession>>;

async function onAdminPage(tab: Tab, account: Account) {
  await tab.page.getByRole('button', { name: 'Create key' }).waitFor();
  return { ...tab, ...account, ...adminPage(tab.page) };
}

const tabs = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const [site, browser] = [await serveConsole(), await launchBrowser()];
    onCleanup(async () => {
      await Promise.all([browser.close(), site.stop()]);
    });
    const newContext = (): Promise<BrowserContext> =>
      browser.newContext({ viewport: DESKTOP, permissions: ['clipboard-write'] });
    return { site, newContext };
  })
  .extend('site', ({ server }) => server.site)
  .extend('context', async ({ server, task }, { onCleanup }) => {
    const context = await server.newContext();
    onCleanup(async () => {
      await report(context, task);
      await context.close();
    });
    return context;
  })
  /** Opens a page of the site, and signs in if an account is given. */
  .extend('open', ({ context, site }) => (path: string, account?: Account): Promise<Tab> => {
    const url = site.url + path;
    return account ? openSignedIn(context, url, account) : openTab(context, url);
  })
  /** Opens the admin area, and signs in as a new admin. */
  .extend('openAdmin', ({ open }) => async () => {
    const account = await makeAdmin();
    return await onAdminPage(await open('admin/', account), account);
  })
  .extend('adminSession', { scope: 'file' }, async ({ server }) =>
    keepSession(await server.newContext(), `${server.site.url}admin/`, await makeAdmin()),
  )
  .extend('userSession', { scope: 'file' }, async ({ server }) => {
    const wallet = await seedWallet({ attestationType: 0 });
    const account = await makeAccount({ wallet });
    const context = await server.newContext();
    return { wallet, ...(await keepSession(context, `${server.site.url}identity/`, account)) };
  })
  /** Opens a page in such a session, and closes it after the test. */
  .extend('reopen', ({ task }, { onCleanup }) => {
    const opened: BrowserContext[] = [];
    onCleanup(async () => {
      for (const context of opened) {
        await report(context, task);
        await Promise.all(context.pages().map((page) => page.close()));
      }
    });
    return async ({ context, url }: Session): Promise<Tab> => {
      opened.push(context);
      return await openTab(context, url);
    };
  })
  .extend('admin', async ({ adminSession, reopen }) => {
    const { account } = adminSession;
    // An earlier test may have revoked the admin.
    await seedAdmin(account.uid, true, account);
    return await onAdminPage(await reopen(adminSession), account);
  })
  /** Opens the identity-proof area for a user with a wallet, who has tokens with these fields and no others. */
  .extend('openUser', ({ userSession, reopen }) => async (...fields: readonly object[]) => {
    const { wallet, account } = userSession;
    const { docs } = await TOKENS.where('uid', '==', account.uid).get();
    await Promise.all(docs.map(({ ref }) => ref.delete()));
    const tokens = await Promise.all(fields.map((each) => makeToken(account.uid, each)));
    return { ...(await reopen(userSession)), ...account, wallet, tokens };
  });

export const test = tabs.skipIf(!hasChromium);

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

/** Stores a new token of a user. @param fields replaces fields of the record @returns the token */
export async function makeToken(uid: string, fields: object = {}): Promise<string> {
  const token = crypto.randomUUID();
  await TOKENS.doc(token).set({ ...newTokenRecord(randomWallet(), uid, new Date()), ...fields });
  return token;
}

/** Nothing scrolls sideways, by default where the layout is narrowest, and axe finds nothing. */
export async function check(page: Page, widths: readonly number[] = [NARROW.width]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: DESKTOP.height });
    expect(await sidewaysScroll(page), `at the width ${width}`).toBe(0);
  }
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
}

/** Only colours depend on the scheme. Call it in states that together have all of them. */
export async function checkDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await axeFindings(page, ['color-contrast']), 'dark').toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
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
