// The fixtures of the console's tests: tabs in headless Chromium, and what their user does.

import type { BrowserContext, Page, Route } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { serveConsole } from '../../tools/sandbox/hosting.ts';
import {
  axeFindings,
  DESKTOP,
  hasChromium,
  launchBrowser,
  NARROW,
  openContext,
  sidewaysScroll,
} from '../site/browser.ts';
import { requireNewerThan } from '../support/builds.ts';
import {
  type Account,
  makeAccount,
  signIn as requestTokens,
  signedInBefore,
} from '../support/client.ts';
import { seedAdmin, seedWallet } from '../support/seed.ts';
import { adminPage } from './adminArea.ts';

const { db } = openEmulators();

/** The page's queries to Firestore. */
export const QUERY = '**/documents:runQuery*';
/** The page's writes to Firestore. */
export const COMMIT = '**/documents:commit*';
/** Responds as Firestore does when the rules refuse. */
export const deny = (route: Route): Promise<void> =>
  route.fulfill({ status: 403, json: { error: { status: 'PERMISSION_DENIED' } } });

/** The browser reports each refused request in its console. The page shows its own message. */
const REFUSED_REQUEST = /^Failed to load resource/;

/** Signs in, and keeps the session for a page as the SDK does, which takes less time than the form. */
async function keepSession(page: Page, area: string, account: Account, agoMs: number) {
  const user = signedInBefore(await requestTokens(account), agoMs);
  const { uid, idToken: accessToken, refreshToken } = user;
  const stsTokenManager = { accessToken, refreshToken, expirationTime: Date.now() + HOUR_MS };
  const stored = { uid, emailVerified: true, isAnonymous: false, stsTokenManager };
  await page.addInitScript(
    ([name, value]) => {
      // Not again after a sign-out.
      if (sessionStorage.length === 0) sessionStorage.setItem(name, value);
    },
    [`firebase:authUser:emulated:${area}`, JSON.stringify(stored)] as const,
  );
}

/** The events of a context that tests listen to. */
const EVENTS = ['console', 'request', 'requestfinished', 'weberror'];

/** Whether a test has replaced the clock of the context, which cannot be undone. */
const HAS_CLOCK = "!String(setTimeout).includes('[native code]')";

const tabs = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern
  .extend('server', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const built = 'public/console-emulators/index.html';
    requireNewerThan('console,contract,records', built, 'npm run console -- --emulators');
    const [site, browser] = [await serveConsole(), await launchBrowser()];
    onCleanup(async () => {
      await Promise.all([browser.close(), site.stop()]);
    });
    let context: BrowserContext | undefined;
    return {
      site,
      /** Opens a context that stores nothing yet, if possible that of the last test, whose scripts are compiled. */
      openContext: async (): Promise<BrowserContext> => {
        const [kept] = context?.pages() ?? [];
        if (context && kept && !(await kept.evaluate(HAS_CLOCK))) {
          const session = await context.newCDPSession(kept);
          const stored = { origin: site.url, storageTypes: 'all' };
          await session.send('Storage.clearDataForOrigin', stored);
          await session.detach();
          return context;
        }
        await context?.close();
        context = await openContext(browser, { permissions: ['clipboard-write'] });
        return context;
      },
    };
  })
  .extend('site', ({ server }) => server.site)
  /** Every request of the pages (address, headers and body), and everything that they logged. */
  .extend('traces', (): string[] => [])
  /** The errors and warnings that the pages logged, and what they did not catch. A test that ends with one fails. */
  .extend('faults', (): string[] => [])
  .extend('context', async ({ server, task, traces, faults }, { onCleanup }) => {
    const context = await server.openContext();
    context.on('console', (message) => {
      traces.push(message.text());
      const isFault = ['error', 'warning'].includes(message.type());
      if (isFault && !REFUSED_REQUEST.test(message.text())) faults.push(message.text());
    });
    context.on('weberror', (thrown) => faults.push(thrown.error().message));
    context.on('request', (request) => {
      traces.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`);
    });
    onCleanup(async () => {
      const pages = context.pages().slice(1);
      if (task.result?.state === 'fail') {
        const shown = await Promise.all(pages.map((page) => page.locator('body').innerText()));
        if (shown.length > 0) console.error(`The pages showed:\n${shown.join('\n----\n')}`);
        // What the next test opens must not depend on it.
        await context.close();
      } else {
        await Promise.all(pages.map((page) => page.close()));
        await context.unrouteAll({ behavior: 'ignoreErrors' });
        for (const event of EVENTS) context.removeAllListeners(event);
      }
      expect(faults).toEqual([]);
    });
    return context;
  })
  /** Opens a page of the site. @param account is signed in. @param agoMs how long ago */
  .extend('open', ({ context, site }) => async (path: string, account?: Account, agoMs = 0) => {
    const page = await context.newPage();
    if (account) await keepSession(page, path.replace(/\/.*/, ''), account, agoMs);
    await page.goto(site.url + path);
    if (account) await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  })
  /** The admin area, for a new admin. */
  .extend('admin', async ({ open }) => {
    const account = await makeAdmin();
    const page = await open('admin/', account);
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    return { page, ...account, ...adminPage(page) };
  })
  /** Opens the identity-proof area for a new user with a wallet, and with tokens that have these fields. */
  .extend('openUser', ({ open }) => async (...fields: readonly object[]) => {
    const wallet = await seedWallet({ attestationType: 0 });
    const account = await makeAccount({ wallet });
    const tokens = await Promise.all(fields.map((each) => makeToken(account.uid, wallet, each)));
    return { page: await open('identity/', account), wallet, tokens };
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
export async function makeToken(uid: string, wallet: string, fields: object = {}): Promise<string> {
  const token = crypto.randomUUID();
  const record = { ...newTokenRecord(wallet, uid, new Date()), ...fields };
  await db.collection('verificationTokens').doc(token).set(record);
  return token;
}

/** Small and large phones, tablets and screens, and the two widths between which a row of the list becomes a card. */
export const WIDTHS = [320, 360, 412, 640, 820, 1119, 1120, 1920] as const;

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

/** A time as the pages show it, isolated from the line around it. @param ms milliseconds since the epoch */
export const shownTime = (page: Page, ms: number): Promise<string> =>
  page.evaluate((shown) => {
    const format = Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });
    return `\u2068${format.format(shown)}\u2069`;
  }, ms);

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
  await elsewhere.locator('textarea').press('Control+V');
  const text = await elsewhere.locator('textarea').inputValue();
  await elsewhere.close();
  return text;
}

/** @returns everything that the browser stores for the site, and the attributes and fields of the page */
export const keptText = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const elements = [...document.querySelectorAll('*')];
    return JSON.stringify([
      location.href,
      history.state,
      document.title,
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      await indexedDB.databases(),
      await caches.keys(),
      elements.map((each) => 'value' in each && each.value),
      elements.map(({ attributes }) => [...attributes].map(({ value }) => value)),
    ]);
  });
