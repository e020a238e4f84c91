// Tests signing in to the console in a real browser: the messages for failures, and sign-ins that are too old.

import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { makeAccount } from '../support/client.ts';
import { randomEmail, seedKey } from '../support/seed.ts';
import { COMMIT, check, deny, signIn, test } from './tab.ts';

const { auth } = openEmulators();
const PASSWORD_SIGN_IN = '**/accounts:signInWithPassword*';
/** Responds as Authentication does to a request that it refuses. */
const refuse = (message: string) => (route: Route) =>
  route.fulfill({ status: 400, json: { error: { message } } });

test('signing in says what to do about a failure', async ({ open, site, traces }) => {
  const page = await open('admin/?utm_source=x');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  // By these, a password manager knows what to fill in.
  const fields = page.locator('input[type="email"][autocomplete="username"]');
  const passwords = page.locator('input[type="password"][autocomplete="current-password"]');
  expect(await fields.or(passwords).count()).toBe(2);
  // Nothing is sent to Authentication before the user acts, also with a query that Google did not add.
  expect(traces.filter((request) => !request.startsWith(site.url))).toEqual([]);
  // A screen reader would read an empty alert, and maybe not the text that it gets later.
  expect(await page.getByRole('alert').count()).toBe(0);
  const account = await makeAccount();
  // The emulators have no domain that Google could return to.
  expect(await page.getByRole('button', { name: /Google/ }).count()).toBe(0);
  const fails = async (sentence: string, password = account.password): Promise<void> => {
    await signIn(page, { ...account, password });
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in');
  };
  await fails('The e-mail address or the password is wrong', 'wrong');
  await check(page);
  await auth.updateUser(account.uid, { disabled: true });
  await fails('This account is disabled. Ask Example Operator');
  await page.route(PASSWORD_SIGN_IN, async (route) => {
    await page.getByRole('button', { name: 'Signing in…', disabled: true }).waitFor();
    await route.abort();
  });
  await fails('There is no connection. Check your network');
  for (const [message, sentence] of [
    ['EMAIL_NOT_FOUND', 'The e-mail address or the password is wrong'],
    ['INVALID_LOGIN_CREDENTIALS', 'The e-mail address or the password is wrong'],
    ['TOO_MANY_ATTEMPTS_TRY_LATER', 'Too many attempts with this account. Wait a few minutes'],
    ['TOKEN_EXPIRED', 'Your sign-in has ended. Sign in again.'],
    ['PASSWORD_LOGIN_DISABLED', 'This sign-in method is turned off here. Ask Example Operator'],
  ] as const) {
    await page.route(PASSWORD_SIGN_IN, refuse(message));
    await fails(sentence);
  }
  const isAskedForMore = { mfaPendingCredential: 'x', mfaInfo: [] };
  await page.route(PASSWORD_SIGN_IN, (route) => route.fulfill({ json: isAskedForMore }));
  await fails('This account requires a second factor');
});

test('the form offers a password reset, and does not reveal whether an address has an account', async ({
  open,
}) => {
  const account = await makeAccount();
  const page = await open('identity/');
  const press = (): Promise<void> =>
    page.getByRole('button', { name: 'Forgot your password?' }).click();
  const [sent, refusal] = ['we have sent it an e-mail', 'the password is wrong'].map((hasText) =>
    page.locator('[aria-live="polite"], [role="alert"]', { hasText }),
  );
  const missing = page.getByRole('alert');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect
    .poll(() => missing.allTextContents())
    .toEqual(['Write your e-mail address.', 'Write your password.']);
  expect(await page.evaluate('document.activeElement.name')).toBe('email');
  await page.getByLabel('Password').fill('typed');
  expect(await missing.allTextContents()).toEqual(['Write your e-mail address.']);
  await press();
  expect(await page.evaluate('document.activeElement.name')).toBe('email');
  await page.getByLabel('Show what I type').check();
  expect(await page.getByLabel('Password').getAttribute('type')).toBe('text');
  await page.getByLabel('E-mail address').fill(account.email);
  await press();
  await sent?.waitFor();
  await signIn(page, { ...account, password: 'wrong' });
  await refusal?.waitFor();
  expect(await sent?.count()).toBe(0);
  const MAIL = '**/accounts:sendOobCode*';
  for (const [message, sentence] of [
    ['TOO_MANY_ATTEMPTS_TRY_LATER', 'Too many e-mails were requested'],
    ['INVALID_EMAIL', 'This is not an e-mail address'],
    ['TENANT_NOT_FOUND', 'Sending the e-mail failed (auth/'],
  ] as const) {
    await page.route(MAIL, refuse(message));
    await press();
    await page.getByText(sentence).waitFor();
  }
  await page.getByLabel('Password').fill('another');
  expect(await missing.count()).toBe(0);
  // An unknown address gets the same sentence.
  await page.route(MAIL, refuse('EMAIL_NOT_FOUND'));
  await press();
  await sent?.waitFor();
  expect(await missing.count()).toBe(0);
});

test('signing in with Google redirects there and back, and says what to do when it fails', async ({
  context,
  open,
  site,
}) => {
  const settings = { projectId: 'demo-poh', apiKey: 'emulated', authDomain: 'demo.example' };
  await context.route('**/init.json', (route) => route.fulfill({ json: settings }));
  const page = await open('identity/?for=Acme%20DAO');
  const begin = page.getByRole('button', { name: 'Sign in with Google' });
  const responds = (respond: (route: Route) => Promise<void>) =>
    page.route('**/accounts:signInWithIdp*', respond);
  const fails = async (sentence: string): Promise<void> => {
    await begin.click();
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    expect(page.url()).toBe(`${site.url}identity/?for=Acme%20DAO`);
  };
  await actAsGoogle(page, '?state=s&error=access_denied');
  await fails('You cancelled the sign-in at Google');
  await actAsGoogle(page, '?state=s&code=code-1');
  for (const [message, sentence] of [
    [
      'INVALID_IDP_RESPONSE : No.',
      'Google’s answer was refused, for example because it is too old',
    ],
    ['What?', '(auth/unexpected-response)'],
  ] as const) {
    await responds(refuse(message));
    await fails(sentence);
  }
  await responds((route) => route.abort());
  await fails('There is no connection.');

  const email = randomEmail();
  await responds((route) => {
    const request = route.request().postDataJSON();
    if (request.postBody !== undefined) return route.continue();
    expect(route.request().url()).toMatch(/\?key=emulated$/);
    expect(request).toEqual({
      requestUri: `${site.url}identity/?state=s&code=code-1`,
      sessionId: 'session-1',
      returnSecureToken: true,
      returnIdpCredential: true,
    });
    const oauthIdToken = JSON.stringify({ sub: email, email, email_verified: true });
    return route.fulfill({ json: { oauthIdToken } });
  });
  await begin.click();
  await page.getByText(email, { exact: true }).waitFor();
  expect(page.url()).toBe(`${site.url}identity/?for=Acme%20DAO`);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('session-1');
  // Neither the address nor the history keeps the code.
  await page.goBack();
  expect(page.url()).not.toContain('code-1');
});

test.for([
  ['code=code-1&state=s', 'This sign-in was begun in another tab or browser'],
  ['error=access_denied&state=s', 'You cancelled the sign-in at Google'],
  ['error=call+the+number+555', 'Signing in failed (auth/google-unknown)'],
])(
  'a response of Google in another tab is explained: %s',
  async ([query, sentence = ''], { open, site }) => {
    const page = await open(`identity/?${query}`);
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    expect(page.url()).toBe(`${site.url}identity/`);
  },
);

/** Acts as Google's sign-in page, which the emulator does not have, and redirects back with this query. */
async function actAsGoogle(page: Page, query: string): Promise<void> {
  await page.route('**/accounts:createAuthUri*', (route) => {
    const { continueUri } = route.request().postDataJSON();
    const authUri = `https://accounts.google.com/o/oauth2/auth?redirect_uri=${continueUri}`;
    return route.fulfill({ json: { authUri, sessionId: 'session-1' } });
  });
  await page.route('https://accounts.google.com/**', (route) => {
    const back = new URL(route.request().url()).searchParams.get('redirect_uri');
    const body = `<meta http-equiv="refresh" content="0;url=${back}${query}">`;
    return route.fulfill({ contentType: 'text/html', body });
  });
}

test('a sign-in older than 12 hours shows the keys and changes none, and a new one ends no other tab’s', async ({
  admin,
  context,
  open,
}) => {
  await seedKey();
  await context.clock.install();
  const page = await open('admin/', admin, 12 * HOUR_MS - 60_000);
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await page.clock.fastForward(90_000);
  await page.getByRole('heading', { name: 'Sign in again to change anything' }).waitFor();
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('button', { name: /Create|Rotate|Revoke/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await signIn(page, admin);
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await admin.createKey('😀');
});

test('a sign-in that Authentication ends is explained', async ({ admin }) => {
  const { page } = admin;
  // The reason of an earlier sign-out is not given again.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, admin);
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await auth.updateUser(admin.uid, { disabled: true });
  // The refusal makes the page read the account again, as the SDK does every hour.
  await page.route(COMMIT, deny);
  await admin.submitProject('Refused');
  await page.getByText('Your sign-in has ended, for example because').waitFor();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a sign-in that Authentication ended while the page was away is explained', async ({
  admin,
}) => {
  const { page } = admin;
  await auth.updateUser(admin.uid, { disabled: true });
  await page.reload();
  await page.getByText('Your sign-in has ended, for example because').waitFor();
});
