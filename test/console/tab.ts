// Opens a tab of the console in headless Chromium, acts as its user, and records the page's faults.

import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { EMULATOR_PORTS } from '../../tools/sandbox/emulatorAddresses.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { DESKTOP } from '../site/browser.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';

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
export const DENIED = { error: { code: 403, message: '', status: 'PERMISSION_DENIED' } };

/** The emulators, which the page calls instead of Google. */
const EMULATORS = Object.values(EMULATOR_PORTS).map((port) => `http://127.0.0.1:${port}`);

export const openContext = (browser: Browser) =>
  browser.newContext({ viewport: DESKTOP, permissions: ['clipboard-write'] });

export async function openTab(context: BrowserContext, url: string): Promise<Tab> {
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

export async function signIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function makeAdmin(): Promise<Account> {
  const account = await makeAccount();
  await seedAdmin(account.uid, true, account.email);
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

/** Creates a key in the dialog. @returns the key */
export async function createKey(page: Page, project: string, contact = ''): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Project', { exact: true }).fill(project);
  if (contact !== '') await page.getByLabel('Contact').fill(contact);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  return await shownKey(page);
}

/** Creates a key, and closes the dialog. @returns the key */
export async function storeKey(page: Page, project: string, contact = ''): Promise<string> {
  const key = await createKey(page, project, contact);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return key;
}

export const shownKey = async (page: Page): Promise<string> =>
  (await page.getByRole('group', { name: 'API key' }).locator('code').textContent()) ?? '';

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
