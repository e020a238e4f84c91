// The page "Identity proof" in a real browser, with the headers of Hosting, against the emulators: what it does, and that
// each of its states is readable.

import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { makeAccount } from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedKey } from '../support/seed.ts';
import {
  COMMIT,
  check,
  checkDark,
  deny,
  focused,
  HOUR_MS,
  makeToken,
  pasted,
  shownTime,
  test,
} from './tab.ts';

const { auth, db } = openEmulators();
/** What a phone shows between the bars of its browser. */
const PHONE_SCREEN = { width: 390, height: 664 };
/** What the person gives away and for how long, then the button, and last how they may be recognised. */
const INFORMED = new RegExp(
  [
    'sees.*verified human, which proposals you voted on or supported, shares.*polls',
    'does not see.*how you voted, your name or your e-mail address',
    'may find out.*your wallet.*the same person on another platform',
    'Anyone who has the token can use it for 24 hours.*may keep what it has seen',
    'Generate Verification Token.*the chain’s public transactions may show your wallet',
  ].join('.*'),
);

const recordOf = (token: string) => db.collection('verificationTokens').doc(token);
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

const lookUp = async (token: string) =>
  (await send(servedUrl, { key: await seedKey(), target: `?token=${token}` })).json;

test('generates, copies and revokes a token, which the endpoint resolves and then refuses', async ({
  openUser,
}) => {
  const { page, wallet } = await openUser();
  await page.getByText('You have no tokens.').waitFor();
  expect(await page.getByRole('main').textContent()).toMatch(INFORMED);
  await page.setViewportSize(PHONE_SCREEN);
  const waitAndSend = async (route: Route): Promise<void> => {
    await page.getByRole('button', { name: 'One moment…' }).waitFor();
    await route.continue();
  };
  await page.route(COMMIT, waitAndSend, { times: 1 });
  await generate(page).click();
  await expect.poll(() => focused(page)).toMatch(/^p Your token is ready/);
  // The message has the focus, so the page has scrolled to it.
  const box = await page.getByRole('button', { name: /^Copy the token/ }).boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(PHONE_SCREEN.height);
  await page.locator('li button.primary', { hasText: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const announced = page.getByRole('status').filter({ hasText: 'Copied' });
  expect(await announced.getAttribute('class')).toBe('visually-hidden');
  const token = await pasted(page.context());
  await rowOf(page, token).getByText('new', { exact: true }).waitFor();
  await page.getByText(`Your wallet: ${short(wallet)}`).waitFor();
  await check(page);
  await checkDark(page);
  const result = await lookUp(token);
  expect(result).toMatchObject({ count: 1, hasVerifiedHuman: true });
  expect(result).not.toHaveProperty('wallet');

  await revoke(page, token);
  await page.getByText('The token is revoked.').waitFor();
  expect(await lookUp(token)).toMatchObject({ code: 'token_not_found' });
});

test('shows the states of the user’s own tokens only, the newest first', async ({ openUser }) => {
  const now = Date.now();
  const ago = (hours: number): Date => new Date(now - hours * HOUR_MS);
  const old = randomWallet();
  const foreign = await makeToken('somebody else', old);
  const { page, tokens, wallet } = await openUser(
    { wallet: old, createdAt: ago(0) },
    { revoked: true, createdAt: ago(1) },
    { createdAt: ago(47) },
    { wallet: 7, createdAt: 'a text' },
  );
  const [valid = '', revoked, expired, unusable] = tokens;
  await rowOf(page, valid).waitFor();
  const before = (hours: number): Promise<string> => shownTime(page, ago(hours).getTime());
  const other = `for the wallet ${short(old)}, which your account no longer has`;
  const own = `for the wallet ${short(wallet)}`;
  expect(await page.getByRole('listitem').allTextContents()).toEqual([
    `${valid}created ${await before(0)}, valid until ${await before(-24)}${other}validCopyRevoke`,
    `${revoked}created ${await before(1)}${own}revoked`,
    `${expired}created ${await before(47)}${own}expired`,
    `${unusable}created at an unknown timeunusable`,
  ]);
  expect(await page.locator('.good, .primary').allTextContents()).toEqual([
    'Generate Verification Token',
    'valid',
  ]);
  expect(await page.getByRole('button', { name: 'Revoke all' }).count()).toBe(0);
  expect(await page.content()).not.toContain(foreign);
  await check(page);
});

test('revokes all valid tokens, also if another tab has revoked one', async ({ openUser }) => {
  const { page, tokens } = await openUser({}, {}, { revoked: true });
  await page.getByRole('button', { name: 'Revoke all' }).click();
  await page.getByRole('heading', { name: 'Revoke all 2 valid tokens?' }).waitFor();
  const dialog = page.getByRole('dialog');
  for (const token of tokens.slice(0, 2)) await dialog.getByText(token).waitFor();
  expect(await dialog.getByText(/^Created /).count()).toBe(2);
  await recordOf(tokens[0] ?? '').update({ revoked: true });
  await dialog.getByRole('button', { name: 'Revoke all' }).click();
  await page.getByText('The 2 tokens are revoked.').waitFor();
  for (const token of tokens) await rowOf(page, token).getByText('Revoked').waitFor();
});

test('does not show a token as created or revoked if the database refuses it', async ({
  openUser,
}) => {
  const { page, tokens } = await openUser({});
  const [token = ''] = tokens;
  await page.route(COMMIT, deny);
  await generate(page).click();
  const refusal = page.getByText('No token was created');
  await refusal.waitFor();
  expect(await page.getByText('It is not known').count()).toBe(0);
  await check(page);
  await checkDark(page);
  await pressRevoke(page, token);
  await page.getByRole('heading', { name: 'Revoke this token?' }).waitFor();
  await page.getByText('The database refused it. Close').waitFor();
  await check(page);
  await page.route(COMMIT, (route) => route.abort());
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await page.getByText('It is not known whether the database did it.').waitFor();
  expect(await page.getByText('The token is revoked.').count()).toBe(0);
  expect(await lookUp(token)).toMatchObject({ count: 1 });
  await page.keyboard.press('Escape');
  await page.unroute(COMMIT);
  await generate(page).click();
  await page.getByText('Your token is ready.').waitFor();
  expect(await refusal.count()).toBe(0);
});

test('tells a user whose wallet was removed what to do, and still revokes', async ({
  context,
  open,
}) => {
  const account = await makeAccount();
  const token = await makeToken(account.uid, randomWallet());
  const page = await open('identity/', account);
  await page.getByRole('heading', { name: 'Your account has no wallet yet' }).waitFor();
  expect(await generate(page).count()).toBe(0);
  const footer = page.getByRole('contentinfo');
  expect(await footer.textContent()).toContain('This service is run by Example Platform.');
  expect(await footer.getByRole('link').allTextContents()).toEqual(['Help', 'Privacy']);
  await revoke(page, token);
  expect((await recordOf(token).get()).get('revoked')).toBe(true);

  await page.getByRole('button', { name: 'Copy your account’s id' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await pasted(context)).toBe(account.uid);
  await page.getByRole('button', { name: 'Check again' }).click();
  const outcome = page.getByText('Your account still has no wallet.');
  expect(await outcome.getAttribute('class')).toBe('outcome warning');
  await check(page);
  await auth.setCustomUserClaims(account.uid, { wallet: randomWallet() });
  await page.getByRole('button', { name: 'Check again' }).click();
  await generate(page).waitFor();
});

test('lets the user copy by hand if the browser refuses to copy', async ({ openUser }) => {
  const { page, tokens } = await openUser({});
  const copy = page.getByRole('button', { name: /^Copy the token/ });
  const copied = page.getByRole('button', { name: 'Copied' });
  await page.evaluate(`navigator.clipboard.writeText = () => {
    delete navigator.clipboard.writeText;
    return Promise.reject(new Error('no'));
  }`);
  await copy.click();
  await page.getByText('The text is selected').waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe(tokens[0]);
  await check(page);
  await page.clock.install();
  await copy.click();
  await copied.waitFor();
  await page.clock.fastForward(5_000);
  await copied.waitFor({ state: 'detached' });
});

test('a clock that is 26 hours fast changes no state of a token, and no right of an admin', async ({
  admin,
  context,
  openUser,
}) => {
  const { page, tokens } = await openUser({ createdAt: new Date(Date.now() - 25 * HOUR_MS) }, {});
  const [old = '', young = ''] = tokens;
  await context.clock.install({ time: Date.now() + 26 * HOUR_MS });
  // The page knows the difference after another reload too.
  for (let i = 0; i < 2; i += 1) {
    await page.reload();
    await rowOf(page, old).getByText('expired', { exact: true }).waitFor();
    await rowOf(page, young).getByText('valid', { exact: true }).waitFor();
  }
  await admin.page.reload();
  await admin.page.getByRole('button', { name: 'Create key' }).waitFor();
  expect(await admin.page.getByText('Sign in again').count()).toBe(0);
  // Nobody reads the tokens again: only time passes.
  await page.clock.fastForward(24 * HOUR_MS);
  await rowOf(page, young).getByText('expired', { exact: true }).waitFor();
});
