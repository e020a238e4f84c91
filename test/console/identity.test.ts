// The page "Identity proof" in a real browser, with the headers of Hosting, against the emulators.

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { emulatedEndpoint } from '../../sandbox/emulatorAddresses.ts';
import { type ServedSite, serveConsole } from '../../sandbox/hosting.ts';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { hasChromium, launchBrowser } from '../page/browser.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedKey, seedWallet } from '../support/seed.ts';
import { openContext, openTab, pasted, signIn, type Tab } from './tab.ts';

const { auth, db } = openEmulators();
const HOUR_MS = 60 * 60 * 1000;

let browser: Browser;
let site: ServedSite;
let context: BrowserContext;

beforeAll(async () => {
  if (!hasChromium) return;
  [browser, site] = await Promise.all([launchBrowser(), serveConsole()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), site?.stop()]);
});
beforeEach(async () => {
  if (hasChromium) context = await openContext(browser);
});
afterEach(async () => {
  await context?.close();
});

async function openAs(account: Account): Promise<Tab> {
  const tab = await openTab(context, `${site.url}identity/`);
  await signIn(tab.page, account);
  await tab.page.getByRole('heading', { name: 'Your tokens' }).waitFor();
  return tab;
}

async function makeToken(uid: string, createdAt: Date, changes: object = {}): Promise<string> {
  const token = crypto.randomUUID();
  const record = newTokenRecord(randomWallet(), uid, createdAt);
  await db
    .collection('verificationTokens')
    .doc(token)
    .set({ ...record, ...changes });
  return token;
}

const rowOf = (page: Page, token: string) => page.getByRole('listitem').filter({ hasText: token });
const generate = (page: Page) => page.getByRole('button', { name: 'Generate Verification Token' });

async function revoke(page: Page, token: string): Promise<void> {
  await rowOf(page, token)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  await rowOf(page, token).getByText('Revoked').waitFor();
}

const lookUp = async (token: string) =>
  (await send(emulatedEndpoint(), { key: await seedKey(), target: `?token=${token}` })).json;

describe.skipIf(!hasChromium)('a user', () => {
  test('generates, copies and revokes a token, which the endpoint resolves and then refuses', async () => {
    const wallet = await seedWallet({ attestationType: 0 });
    const { page, faults } = await openAs(await makeAccount({ wallet }));
    await page.getByText('the token lives for 24 hours').waitFor();
    await generate(page).click();
    await page
      .getByText(/valid for\s*(24 h|23 h 59 min)/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    const token = await pasted(context);
    expect(await page.getByRole('group', { name: 'Verification token' }).textContent()).toBe(token);
    await rowOf(page, token).getByText('Valid', { exact: true }).waitFor();
    const result = await lookUp(token);
    expect(result).toMatchObject({ count: 1, hasVerifiedHuman: true });
    expect(result).not.toHaveProperty('wallet');

    await revoke(page, token);
    await page.getByText('The token is revoked.').waitFor();
    expect(await lookUp(token)).toMatchObject({ code: 'token_not_found' });
    expect(await page.getByRole('group', { name: 'Verification token' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('sees the state of each own token, and of nobody else’s', async () => {
    const account = await makeAccount({ wallet: randomWallet() });
    const now = Date.now();
    const [valid, revoked, expired, foreign] = await Promise.all([
      makeToken(account.uid, new Date(now - HOUR_MS)),
      makeToken(account.uid, new Date(now - HOUR_MS), { revoked: true }),
      makeToken(account.uid, new Date(now - 25 * HOUR_MS)),
      makeToken('somebody else', new Date(now)),
    ]);
    const { page } = await openAs(account);
    await rowOf(page, valid)
      .getByText(/valid for (23 h|22 h 59 min) more/)
      .waitFor();
    await rowOf(page, revoked).getByText('Revoked').waitFor();
    await rowOf(page, expired).getByText('Expired').waitFor();
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(1);
    expect(await page.content()).not.toContain(foreign);
  });

  test('whose wallet was taken away sees what to do, and still revokes', async () => {
    const account = await makeAccount();
    const token = await makeToken(account.uid, new Date());
    const { page } = await openAs(account);
    await page.getByRole('heading', { name: 'Your account has no wallet yet' }).waitFor();
    expect(await generate(page).count()).toBe(0);
    await revoke(page, token);
    expect((await db.collection('verificationTokens').doc(token).get()).get('revoked')).toBe(true);

    await auth.setCustomUserClaims(account.uid, { wallet: randomWallet() });
    await page.getByRole('button', { name: 'Check again' }).click();
    await generate(page).waitFor();
  });

  test('whose address is not verified where that is required sees how to verify it', async () => {
    const account = await makeAccount({ wallet: randomWallet() });
    const { page } = await openAs(account);
    // The response of rules that require it; the rules have tests of their own.
    await page.route('**/documents:commit*', (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: 403, message: '', status: 'PERMISSION_DENIED' } },
      }),
    );
    await generate(page).click();
    await page.getByRole('heading', { name: 'Verify your e-mail address first' }).waitFor();
    await page.getByRole('button', { name: 'Send the e-mail' }).click();
    await page.getByText('The e-mail is on its way.').waitFor();

    await auth.updateUser(account.uid, { emailVerified: true });
    await page.unroute('**/documents:commit*');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Your account was looked up again.').waitFor();
    await generate(page).click();
    await page.getByRole('heading', { name: 'Your new token' }).waitFor();
  });

  test('offline sees a notice, and finds the token that was made after all', async () => {
    const { page } = await openAs(await makeAccount({ wallet: randomWallet() }));
    await page.route('**/documents**', async (route) => {
      if (route.request().url().includes(':commit')) await route.fetch();
      await route.abort('internetdisconnected');
    });
    await generate(page).click();
    await page.getByText('It is not known whether a token was made').waitFor();
    await page.unroute('**/documents**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Valid', { exact: true }).waitFor();
  });

  test('whose clock is an hour slow sees the new token, and that it is valid', async () => {
    const { page } = await openAs(await makeAccount({ wallet: randomWallet() }));
    await page.clock.setSystemTime(Date.now() - HOUR_MS);
    await generate(page).click();
    await page.getByRole('heading', { name: 'Your new token' }).waitFor();
    await page.getByText('Valid', { exact: true }).waitFor();
  });
});
