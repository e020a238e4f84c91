// The page "Identity proof" in a real browser, with the headers of Hosting, against the emulators.

import type { Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { makeAccount } from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedKey, seedWallet } from '../support/seed.ts';
import {
  COMMIT,
  deny,
  focused,
  makeToken,
  pasted,
  shownTime,
  sidewaysScroll,
  test,
} from './tab.ts';

const { auth, db } = openEmulators();
const HOUR_MS = 60 * 60 * 1000;
/** What a phone shows between the bars of its browser. */
const PHONE_SCREEN = { width: 390, height: 664 };
/** First the purpose, then what the person gives away, then the button, the risk and how they may be recognised. */
const INFORMED = new RegExp(
  [
    'Prove to a platform.*that you are a verified human',
    'sees.*verified human, which proposals you voted on or supported, shares.*polls',
    'does not see.*how you voted, your name or your e-mail address',
    'may find out.*your wallet.*the same person on another platform',
    'Generate Verification Token',
    'Anyone who has the token can use it for 24 hours',
    'These addresses never change and are the same for every platform',
    'public transactions may show your wallet',
  ].join('.*'),
);

const rowOf = (page: Page, token: string) => page.getByRole('listitem').filter({ hasText: token });
const generate = (page: Page) => page.getByRole('button', { name: 'Generate Verification Token' });

async function pressRevoke(page: Page, token: string): Promise<void> {
  await rowOf(page, token)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
}

async function revoke(page: Page, token: string): Promise<void> {
  await pressRevoke(page, token);
  await rowOf(page, token).getByText('Revoked').waitFor();
}

/** A wallet as the page shows it. */
const short = (wallet: string): string => `${wallet.slice(0, 4)}…${wallet.slice(-4)}`;

const recordOf = (token: string) => db.collection('verificationTokens').doc(token).get();

const lookUp = async (token: string) =>
  (await send(servedUrl, { key: await seedKey(), target: `?token=${token}` })).json;

describe('a user', () => {
  test('generates, copies and revokes a token, which the endpoint resolves and then refuses', async ({
    context,
    open,
  }) => {
    const wallet = await seedWallet({ attestationType: 0 });
    const { page, faults } = await open('identity/', await makeAccount({ wallet }));
    expect(await page.getByRole('main').textContent()).toMatch(INFORMED);
    await page.setViewportSize(PHONE_SCREEN);
    const waitAndSend = async (route: Route): Promise<void> => {
      await page.getByRole('button', { name: 'One moment…' }).waitFor();
      await route.continue();
    };
    await page.route(COMMIT, waitAndSend, { times: 1 });
    await generate(page).click();
    await expect.poll(() => focused(page)).toMatch(/^p Your token is ready/);
    expect(await page.getByRole('button', { name: 'Revoke all' }).count()).toBe(0);
    // The message has the focus, so the page has scrolled to it.
    const box = await page.getByRole('button', { name: /^Copy the token/ }).boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(PHONE_SCREEN.height);
    const copy = page.locator('li button.primary', { hasText: 'Copy' });
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const announced = page.getByRole('status').filter({ hasText: 'Copied' });
    expect(await announced.getAttribute('class')).toBe('visually-hidden');
    const token = await pasted(context);
    await rowOf(page, token).getByText('new', { exact: true }).waitFor();
    await page.getByText(`Your wallet: ${short(wallet)}`).waitFor();
    await rowOf(page, token)
      .getByText(`for the wallet ${short(wallet)}`)
      .waitFor();
    const result = await lookUp(token);
    expect(result).toMatchObject({ count: 1, hasVerifiedHuman: true });
    expect(result).not.toHaveProperty('wallet');

    await revoke(page, token);
    await page.getByText('The token is revoked.').waitFor();
    expect(await lookUp(token)).toMatchObject({ code: 'token_not_found' });
    expect(faults).toEqual([]);
  });

  test('sees the states of their own tokens only, the newest first', async ({ open }) => {
    const [old, wallet] = [randomWallet(), randomWallet()];
    const account = await makeAccount({ wallet });
    const now = Date.now();
    const make = (hours: number, changes: object): Promise<string> =>
      makeToken(account.uid, new Date(now - hours * HOUR_MS), { wallet, ...changes });
    const [valid, revoked, expired, unusable] = await Promise.all([
      make(0, { wallet: old }),
      make(1, { revoked: true }),
      make(47, {}),
      make(0, { createdAt: 'a text', wallet: 7 }),
    ]);
    const foreign = await makeToken('somebody else', new Date(now));
    const { page } = await open('identity/', account);
    await rowOf(page, valid).waitFor();
    const at = (hours: number): Promise<string> => shownTime(page, now + hours * HOUR_MS);
    const other = `for the wallet ${short(old)}, which your account no longer has`;
    const own = `for the wallet ${short(wallet)}`;
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      `${valid}created ${await at(0)}, valid until ${await at(24)}${other}validCopyRevoke`,
      `${revoked}created ${await at(-1)}${own}revoked`,
      `${expired}created ${await at(-47)}${own}expired`,
      `${unusable}created at an unknown timeunusable`,
    ]);
    expect(await page.locator('.good, .primary').allTextContents()).toEqual([
      'Generate Verification Token',
      'valid',
    ]);
    expect(await page.content()).not.toContain(foreign);
  });

  test('revokes all valid tokens', async ({ open }) => {
    const account = await makeAccount({ wallet: randomWallet() });
    const make = (): Promise<string> => makeToken(account.uid, new Date());
    const tokens = [await make(), await make()];
    const { page } = await open('identity/', account);
    await page.getByRole('button', { name: 'Revoke all' }).click();
    await page.getByRole('heading', { name: 'Revoke all 2 valid tokens?' }).waitFor();
    const dialog = page.getByRole('dialog');
    for (const token of tokens) await dialog.getByText(token).waitFor();
    expect(await dialog.getByText(/^Created /).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Revoke all' }).click();
    await page.getByText('The 2 tokens are revoked.').waitFor();
    for (const token of tokens) await rowOf(page, token).getByText('Revoked').waitFor();
    expect(await page.getByRole('button', { name: 'Revoke all' }).count()).toBe(0);
  });

  test('can still read the page and copy by hand if the browser refuses to copy', async ({
    open,
  }) => {
    const account = await makeAccount({ wallet: randomWallet() });
    const token = await makeToken(account.uid, new Date());
    const { page } = await open('identity/', account);
    const copied = page.getByRole('button', { name: 'Copied' });
    await page.clock.install();
    await rowOf(page, token).getByRole('button', { name: /^Copy/ }).click();
    await copied.waitFor();
    await page.clock.fastForward(5_000);
    await copied.waitFor({ state: 'detached' });
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
    await rowOf(page, token).getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('The text is selected').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe(token);
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await sidewaysScroll(page)).toBe(0);
  });

  test('revokes a token whose record does not say whether it is revoked, or already says so', async ({
    open,
  }) => {
    const wallet = await seedWallet({ attestationType: 0 });
    const account = await makeAccount({ wallet });
    const token = crypto.randomUUID();
    const record = { wallet, uid: account.uid, createdAt: new Date() };
    await db.collection('verificationTokens').doc(token).set(record);
    expect(await lookUp(token)).toMatchObject({ count: 1 });
    const { page } = await open('identity/', account);
    const other = await makeToken(account.uid, new Date());
    await page.evaluate("dispatchEvent(new Event('online'))");
    await rowOf(page, other).waitFor();
    await revoke(page, token);
    await page.getByText('The token is revoked.').waitFor();
    expect(await lookUp(token)).toMatchObject({ code: 'token_not_found' });
    // Another tab may have revoked it.
    await db.collection('verificationTokens').doc(other).update({ revoked: true });
    await revoke(page, other);
    await page.getByText('The token is revoked.').waitFor();
  });

  test('does not see a token as revoked if the database refuses it', async ({ open }) => {
    const wallet = await seedWallet({ attestationType: 0 });
    const account = await makeAccount({ wallet });
    const token = await makeToken(account.uid, new Date(), { wallet });
    const { page } = await open('identity/', account);
    await page.route(COMMIT, deny);
    await pressRevoke(page, token);
    await page.getByRole('heading', { name: 'Revoke this token?' }).waitFor();
    await page.getByText('The database refused it.').waitFor();
    await page.route(COMMIT, (route) => route.abort());
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('It is not known whether the database did it.').waitFor();
    expect(await page.getByText('The token is revoked.').count()).toBe(0);
    expect(await lookUp(token)).toMatchObject({ count: 1 });
  });

  test('whose wallet was removed sees what to do, and can still revoke', async ({
    context,
    open,
  }) => {
    const account = await makeAccount();
    const token = await makeToken(account.uid, new Date());
    const { page } = await open('identity/', account);
    await page.getByRole('heading', { name: 'Your account has no wallet yet' }).waitFor();
    expect(await generate(page).count()).toBe(0);
    await revoke(page, token);
    expect((await recordOf(token)).get('revoked')).toBe(true);

    await page.getByRole('button', { name: 'Copy your account’s id' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await pasted(context)).toBe(account.uid);
    await page.getByRole('button', { name: 'Check again' }).click();
    const outcome = page.getByText('Your account still has no wallet.');
    expect(await outcome.getAttribute('class')).toBe('outcome warning');
    await auth.setCustomUserClaims(account.uid, { wallet: randomWallet() });
    await page.getByRole('button', { name: 'Check again' }).click();
    await generate(page).waitFor();
  });

  test('sees that the database refused a token, and can try again', async ({ open }) => {
    const { page } = await open('identity/', await makeAccount({ wallet: randomWallet() }));
    await page.route(COMMIT, deny);
    await generate(page).click();
    const refused = page.getByText('No token was created');
    await refused.waitFor();
    expect(await page.getByText('It is not known').count()).toBe(0);
    await page.unroute(COMMIT);
    await generate(page).click();
    await page.getByText('Your token is ready.').waitFor();
    expect(await refused.count()).toBe(0);
  });

  test('whose clock is 26 hours fast sees the same states as the endpoint', async ({
    context,
    open,
  }) => {
    const account = await makeAccount({ wallet: randomWallet() });
    const [old, young] = await Promise.all([
      makeToken(account.uid, new Date(Date.now() - 25 * HOUR_MS)),
      makeToken(account.uid, new Date()),
    ]);
    await context.clock.install({ time: Date.now() + 26 * HOUR_MS });
    const { page } = await open('identity/', account);
    // The page knows the difference after a reload too.
    for (const reload of [true, false]) {
      await rowOf(page, old).getByText('expired', { exact: true }).waitFor();
      await rowOf(page, young).getByText('valid', { exact: true }).waitFor();
      if (reload) await page.reload();
    }
    // Nobody reads the tokens again: only time passes.
    await page.clock.fastForward(24 * HOUR_MS);
    await rowOf(page, young).getByText('expired', { exact: true }).waitFor();
  });
});
