// Tests signing in to the console in a real browser: the messages for failures, and sign-ins that are
// too old.

import type { Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { makeAccount, signedInBefore } from '../support/client.ts';
import { randomEmail, seedKey } from '../support/seed.ts';
import { COMMIT, check, deny, focused, signIn, test } from './tab.ts';

const { auth } = openEmulators();
const HOUR_MS = 60 * 60 * 1000;
/** Half a minute too old. */
const TOO_OLD_MS = 12 * HOUR_MS + 30_000;
const PASSWORD_SIGN_IN = '**/accounts:signInWithPassword*';

describe('signing in', () => {
  test('says what to do about a failure, whose sentences texts.unit.test.ts checks', async ({
    open,
    site,
  }) => {
    const { page, faults, sent } = await open('admin/?utm_source=x');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Nothing is sent to Authentication before the user acts, also with a query that Google did not add.
    expect(sent.filter((request) => !request.startsWith(site.url))).toEqual([]);
    const account = await makeAccount();
    // The emulators have no domain that Google could return to.
    expect(await page.getByRole('button', { name: /Google/ }).count()).toBe(0);
    const fails = async (password: string, sentence: string): Promise<void> => {
      await signIn(page, { ...account, password });
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in');
    };
    await fails('wrong', 'The e-mail address or the password is wrong');
    await check(page);
    await auth.updateUser(account.uid, { disabled: true });
    await fails(account.password, 'This account is disabled. Ask the people');
    await page.route(PASSWORD_SIGN_IN, async (route) => {
      await page.getByRole('button', { name: 'Signing in…' }).waitFor();
      await route.abort();
    });
    await fails(account.password, 'There is no connection. Check your network');
    expect(faults).toEqual([]);
  });

  test('offers a password reset, and does not reveal whether an address has an account', async ({
    open,
  }) => {
    const account = await makeAccount();
    const { page } = await open('identity/');
    const press = (): Promise<void> =>
      page.getByRole('button', { name: 'Forgot your password?' }).click();
    const [sent, refusal] = ['we have sent it an e-mail', 'the password is wrong'].map((text) =>
      page.getByText(text),
    );
    await press();
    expect(await focused(page)).toBe('input');
    await page.getByLabel('E-mail address').fill(account.email);
    await press();
    await sent?.waitFor();
    await signIn(page, { ...account, password: 'wrong' });
    await refusal?.waitFor();
    expect(await sent?.count()).toBe(0);
    const MAIL = '**/accounts:sendOobCode*';
    const respond = (message: string) =>
      page.route(MAIL, (route) =>
        route.fulfill({ status: 400, json: { error: { code: 400, message } } }),
      );
    await respond('TOO_MANY_ATTEMPTS_TRY_LATER');
    await press();
    await page.getByText('Too many e-mails were requested').waitFor();
    // An unknown address gets the same sentence.
    await respond('EMAIL_NOT_FOUND');
    await press();
    await sent?.waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  test('with Google redirects there and back, and says what to do when it fails', async ({
    context,
    open,
    site,
  }) => {
    const settings = { projectId: 'demo-poh', apiKey: 'emulated', authDomain: 'demo.example' };
    await context.route('**/init.json', (route) => route.fulfill({ json: settings }));
    const { page, faults } = await open('identity/');
    const begin = page.getByRole('button', { name: 'Sign in with Google' });
    const responds = (respond: (route: Route) => Promise<void>) =>
      page.route('**/accounts:signInWithIdp*', respond);
    const fails = async (sentence: string): Promise<void> => {
      await begin.click();
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
      expect(page.url()).toBe(`${site.url}identity/`);
    };
    await actAsGoogle(page, '?state=s&error=access_denied');
    await fails('You cancelled the sign-in at Google');
    await actAsGoogle(page, '?state=s&code=code-1');
    for (const [message, code] of [
      ['INVALID_IDP_RESPONSE : No.', 'auth/invalid-idp-response'],
      ['What?', 'auth/unexpected-response'],
    ]) {
      await responds((route) => route.fulfill({ status: 400, json: { error: { message } } }));
      await fails(`(${code})`);
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
    await page.getByText(email).waitFor();
    expect(page.url()).toBe(`${site.url}identity/`);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('session-1');
    expect(faults.filter((fault) => !fault.includes('accounts.google.com'))).toEqual([]);
  });
});

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

/** Makes the next sign-in look as if it had happened too long ago. */
async function backdateSignIn(page: Page): Promise<void> {
  await page.route(PASSWORD_SIGN_IN, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const user = { uid: body.localId, idToken: body.idToken };
    const { idToken } = signedInBefore(user, TOO_OLD_MS);
    await route.fulfill({ response, json: { ...body, idToken } });
  });
}

test('a sign-in older than 12 hours shows the keys and changes none, and a new one ends no other tab’s', async ({
  open,
  openAdmin,
}) => {
  await seedKey();
  const other = await openAdmin();
  const { page } = await open('admin/');
  await backdateSignIn(page);
  await signIn(page, other);
  await page.getByRole('heading', { name: 'Sign in again to change anything' }).waitFor();
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('button', { name: /Create|Rotate|Revoke/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.unroute(PASSWORD_SIGN_IN);
  await signIn(page, other);
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await other.createKey('😀');
});

test('a sign-in that Authentication ends is explained', async ({ openAdmin }) => {
  const admin = await openAdmin();
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
