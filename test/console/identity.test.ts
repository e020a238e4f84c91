// The page "Identity proof" in a real browser, with the headers of Hosting, against the emulators: what it does, and that
// each of its states is readable.

import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { HOUR_MS, MODES } from '../../contract/endpoint.ts';
import { ATTESTATION_TYPES, type Attestation, type LookupResult } from '../../contract/result.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { makeAccount } from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedKey, seedWallet } from '../support/seed.ts';
import {
  COMMIT,
  check,
  checkDark,
  deny,
  focused,
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
    'Any platform, and anyone else.*any number of times, for 24 hours or until you revoke it',
    'sees.*verified human',
    'does not see.*how you voted, your name or your e-mail address',
    'may find out.*your wallet.*the same person on another platform',
    'does not control.*may keep what it has seen.*if Example Operator trusts it',
    'look you up by your e-mail address or wallet without a token.*ask Example Operator to remove',
    'by your wallet cannot be ended',
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

const lookUp = async (token: string, project = 'Test DAO') =>
  (await send(servedUrl, { key: await seedKey({ project }), target: `?token=${token}` })).json;

test('generates, copies and revokes a token, which the endpoint resolves and then refuses', async ({
  openUser,
}) => {
  const { page, wallet } = await openUser();
  await page.getByText('You have no tokens.').waitFor();
  expect(await page.getByRole('main').textContent()).toMatch(INFORMED);
  await page.setViewportSize(PHONE_SCREEN);
  let commits = 0;
  const waitAndSend = async (route: Route): Promise<void> => {
    commits += 1;
    // A second click makes no second token.
    await page.getByRole('button', { name: 'One moment…' }).click({ force: true });
    await route.continue();
  };
  await page.route(COMMIT, waitAndSend);
  await generate(page).click();
  await expect.poll(() => focused(page)).toMatch(/^p Your token is ready/);
  // The message has the focus, so the page has scrolled to it.
  const box = await page.getByRole('button', { name: /^Copy the token/ }).boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(PHONE_SCREEN.height);
  await page.locator('li button.primary', { hasText: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const announced = page.locator('[aria-live]', { hasText: 'Copied' });
  expect(await announced.getAttribute('class')).toBe('visually-hidden');
  const token = await pasted(page.context());
  expect(commits, 'requests that stored a token').toBe(1);
  await page.unroute(COMMIT);
  await rowOf(page, token).getByText('New', { exact: true }).waitFor();
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

test('a link of a platform gives a token that only this platform can use', async ({
  context,
  open,
}) => {
  const account = await makeAccount({ wallet: await seedWallet({ attestationType: 0 }) });
  const asked = await open('identity/?for=Acme%20DAO', account);
  const main = asked.getByRole('main');
  expect(await main.textContent()).toMatch(
    /asks for a token for Acme DAO\. If you did not follow it on a page of Acme DAO, close.*Only Acme DAO, any number of times.*only on a page of Acme DAO/,
  );
  await asked.getByLabel('Note for yourself').fill('a\u202eb');
  await generate(asked).click();
  await asked.getByText('Write the note in 1 to 100 characters').waitFor();
  await asked.getByLabel('Note for yourself').fill(' Spring vote ');
  await generate(asked).click();
  await asked.getByText('Your token is ready').waitFor();
  expect(await asked.getByLabel('Note for yourself').inputValue()).toBe('');
  await asked.getByRole('button', { name: /^Copy the token/ }).click();
  const token = await pasted(context);
  expect((await recordOf(token).get()).data()).toMatchObject({
    project: 'Acme DAO',
    note: 'Spring vote',
  });
  expect(await rowOf(asked, token).textContent()).toContain(
    'Only Acme DAO can use itYour note: Spring vote',
  );
  await check(asked);
  expect(await lookUp(token, 'Acme DAO')).toMatchObject({ count: 1 });
  expect(await lookUp(token, 'Other DAO')).toMatchObject({ code: 'token_not_found' });
});

test.for([
  ['markup', '<img src=x onerror=alert(1)>', true],
  ['another direction', 'פרויקט', true],
  ['100 characters without a space', 'W'.repeat(100), true],
  ['nothing', '', false],
  ['nothing that a person sees', '\u200b', false],
  ['two platforms', 'Acme&for=Other', false],
  ['a mark that turns the direction', 'Acme\u202eOAD', false],
  ['two lines', 'Acme\nDAO', false],
  ['10,000 characters', 'x'.repeat(10_000), false],
] as const)('a hostile link harms nobody: %s', async ([_, named, isName], { open }) => {
  const account = await makeAccount({ wallet: randomWallet() });
  const page = await open(
    `identity/?for=${named === 'Acme&for=Other' ? named : encodeURIComponent(named)}`,
    account,
  );
  const main = page.getByRole('main');
  if (isName) {
    await main.getByText(`Only ${named}`, { exact: true }).waitFor();
    expect(await main.locator('bdi[translate="no"]').first().textContent()).toBe(named);
    expect(await main.locator('img').count()).toBe(0);
  } else {
    await main.getByRole('heading', { name: 'This link does not work' }).waitFor();
    expect(await generate(page).count()).toBe(0);
    expect(await main.textContent()).not.toContain('Acme');
    await main.getByRole('link', { name: /any platform can use/ }).click();
    await page.getByText('Any platform, and anyone else').waitFor();
  }
  await check(page);
});

/** For each field of a result, what the page says about it. */
const SAID = {
  attestationType: 'that you are a verified human',
  contextHashHex: 'which proposals you voted on',
  status: 'A platform sees',
  onChainAddress: 'each with an address on the chain',
  syncedAt: 'and when',
  createdAt: 'and when',
  attestations: 'A platform sees',
  count: 'A platform sees',
  hasVerifiedHuman: 'that you are a verified human',
  hasVoted: 'which proposals you voted on',
  votedCount: 'which proposals you voted on',
  hasSupportedProposal: 'which proposals you supported',
  supportedCount: 'which proposals you supported',
  wallet: 'your wallet',
} satisfies Record<keyof LookupResult | keyof Attestation, string>;

test('the page tells all that a lookup by each mode returns, and no lookup returns what it denies', async ({
  open,
}) => {
  const types = Object.values(ATTESTATION_TYPES);
  const wallet = await seedWallet(...types.map(({ number }) => ({ attestationType: number })));
  const account = await makeAccount({ wallet });
  const token = await makeToken(account.uid, wallet);
  const page = await open('identity/', account);
  const text = (await page.getByRole('main').textContent()) ?? '';
  for (const { seen } of types) expect(text).toContain(seen);
  const key = await seedKey();
  const values = { wallet, email: encodeURIComponent(account.email), token };
  for (const mode of MODES) {
    const { json } = await send(servedUrl, { key, target: `?${mode}=${values[mode]}` });
    expect(
      (json as LookupResult).attestations.map(({ attestationType }) => attestationType).sort(),
      mode,
    ).toEqual(types.map(({ number }) => number));
    const fields = [...Object.keys(json), ...json.attestations.flatMap(Object.keys)];
    for (const field of fields)
      expect([field, SAID]).toEqual([
        field,
        expect.objectContaining({ [field]: expect.anything() }),
      ]);
    for (const hidden of [account.email, account.uid])
      expect(JSON.stringify(json)).not.toContain(hidden);
    expect('wallet' in json).toBe(mode === 'wallet');
  }
  for (const said of Object.values(SAID)) expect(text).toContain(said);
  // Both work without a token, which the page says.
  expect(text).toContain('look you up by your e-mail address or wallet without a token');
});

test('sends the e-mail that verifies the address, which lookups by e-mail may need', async ({
  open,
}) => {
  const account = await makeAccount({ wallet: randomWallet() });
  const page = await open('identity/', account);
  const sent = page.waitForRequest('**/accounts:sendOobCode*');
  await page.getByRole('button', { name: 'Send the e-mail' }).click();
  await page.getByText(`We have sent an e-mail to ${account.email}.`).waitFor();
  expect((await sent).postDataJSON()).toMatchObject({ requestType: 'VERIFY_EMAIL' });
  await check(page);
  const again = page.getByRole('button', { name: 'Check the address again' });
  await again.click();
  await page.getByText('Your address is still not verified.').waitFor();
  await auth.updateUser(account.uid, { emailVerified: true });
  await again.click();
  await page.getByText('Your account was checked again.').waitFor();
  await again.waitFor({ state: 'detached' });
});

test('shows the states of the user’s own tokens only, the newest first', async ({ openUser }) => {
  const now = Date.now();
  const ago = (hours: number): Date => new Date(now - hours * HOUR_MS);
  const old = randomWallet();
  const foreign = await makeToken('somebody else', old);
  const { page, tokens, wallet } = await openUser(
    { wallet: old, createdAt: ago(0.5) },
    { revoked: true, createdAt: ago(1), project: 'Acme DAO', note: 'Spring vote' },
    { createdAt: ago(47) },
    { wallet: 7, createdAt: 'a text' },
  );
  const [valid = '', revoked, expired, unusable] = tokens;
  await rowOf(page, valid).waitFor();
  const before = (hours: number): Promise<string> => shownTime(page, ago(hours).getTime());
  const other = `for the wallet ${short(old)}, which your account no longer has`;
  const own = `for the wallet ${short(wallet)}`;
  expect(await page.getByRole('listitem').allTextContents()).toEqual([
    `${valid}Any platform can use itcreated ${await before(0.5)}, valid until ${await before(-23.5)} (ends \u2068in 23 hours\u2069)${other}ValidCopyRevoke`,
    `${revoked}Only Acme DAO can use itYour note: Spring votecreated ${await before(1)}${own}Revoked`,
    `${expired}Any platform can use itcreated ${await before(47)}${own}Expired`,
    `${unusable}Any platform can use itcreated at an unknown timeUnusable`,
  ]);
  expect(await page.locator('.good, .primary').allTextContents()).toEqual([
    'Generate Verification Token',
    'Valid',
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
  // The list is read again, because it may say more than the dialog.
  await recordOf(token).update({ revoked: true });
  await page.keyboard.press('Escape');
  await rowOf(page, token).getByText('Revoked').waitFor();
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
  await revoke(page, token);
  expect((await recordOf(token).get()).get('revoked')).toBe(true);

  await page.getByRole('button', { name: 'Copy your account’s id' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await pasted(context)).toBe(account.uid);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page
    .locator('.outcome.warning', { hasText: 'Your account still has no wallet.' })
    .waitFor();
  await check(page);
  await page.route('**/accounts:lookup*', (route) => route.abort());
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Your account could not be checked. Check your network').waitFor();
  await page.unroute('**/accounts:lookup*');
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
    await rowOf(page, old).getByText('Expired', { exact: true }).waitFor();
    await rowOf(page, young).getByText('Valid', { exact: true }).waitFor();
  }
  await admin.page.reload();
  await admin.page.getByRole('button', { name: 'Create key' }).waitFor();
  expect(await admin.page.getByText('Sign in again').count()).toBe(0);
  // Nobody reads the tokens again: only time passes.
  await page.clock.fastForward(23.5 * HOUR_MS);
  await rowOf(page, young)
    .getByText(/ends \u2068in 2\d minutes/)
    .waitFor();
  await page.clock.fastForward(0.5 * HOUR_MS);
  await rowOf(page, young).getByText('Expired', { exact: true }).waitFor();
});
