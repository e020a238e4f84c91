// Tests signing in to the console in a real browser: the messages for failures, and sign-ins that are
// too old.

import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { makeAccount, signedInBefore } from '../support/client.ts';
import { randomEmail, seedKey } from '../support/seed.ts';
import { COMMIT, deny, focused, makeAdmin, signIn, test } from './tab.ts';

const { auth } = openEmulators();
const HOUR_MS = 60 * 60 * 1000;
/** Half a minute too old. */
const TOO_OLD_MS = 12 * HOUR_MS + 30_000;
const PASSWORD_SIGN_IN = '**/accounts:signInWithPassword*';

describe('signing in', () => {
  test('says what to do about a failure, whose sentences texts.unit.test.ts checks', async ({
    open,
  }) => {
    const { page, faults } = await open('admin/');
    const account = await makeAccount();
    const fails = async (password: string, sentence: string): Promise<void> => {
      await signIn(page, { ...account, password });
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in');
    };
    await fails('wrong', 'The e-mail address or the password is wrong');
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

  test('with Google redirects there and back', async ({ context, open, site }) => {
    const email = randomEmail();
    await offerGoogle(context);
    const { page } = await open('identity/');
    await actAsGoogle(page, '?state=s&code=code-1');
    await page.route('**/accounts:signInWithIdp*', async (route) => {
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
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await page.getByRole('heading', { name: 'Your tokens' }).waitFor();
    await page.getByText(email).waitFor();
    expect(page.url()).toBe(`${site.url}identity/`);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('session-1');
  });

  test('with Google says what to do when it fails', async ({ context, open, site }) => {
    await offerGoogle(context);
    const { page, faults } = await open('identity/');
    await actAsGoogle(page, '?state=s&code=c');
    const begin = page.getByRole('button', { name: 'Sign in with Google' });
    for (const [message, code] of [
      ['INVALID_IDP_RESPONSE : No.', 'auth/invalid-idp-response'],
      ['What?', 'auth/unexpected-response'],
    ]) {
      await page.route('**/accounts:signInWithIdp*', (route) =>
        route.fulfill({ status: 400, json: { error: { code: 400, message } } }),
      );
      await begin.click();
      await page
        .getByRole('alert')
        .filter({ hasText: `(${code})` })
        .waitFor();
      expect(page.url()).toBe(`${site.url}identity/`);
    }
    await page.route('**/accounts:signInWithIdp*', (route) => route.abort());
    await begin.click();
    await page.getByText('There is no connection.').waitFor();
    await actAsGoogle(page, '?state=s&error=access_denied');
    await begin.click();
    await page.getByText('You cancelled the sign-in at Google').waitFor();
    expect(faults.filter((fault) => !fault.includes('accounts.google.com'))).toEqual([]);
  });

  test('sends requests only to the site until the user acts, and offers Google only where it works', async ({
    open,
    site,
  }) => {
    const { page, sent } = await open('admin/?utm_source=x');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(sent.filter((request) => !request.startsWith(site.url))).toEqual([]);
    // The emulators have no domain that Google could return to.
    expect(await page.getByRole('button', { name: /Google/ }).count()).toBe(0);
  });
});

/** Serves the settings of a project that has a domain, as Hosting does. */
async function offerGoogle(context: BrowserContext): Promise<void> {
  const settings = {
    projectId: 'demo-poh',
    apiKey: 'emulated',
    authDomain: 'demo-poh.firebaseapp.com',
  };
  await context.route('**/init.json', (route) => route.fulfill({ json: settings }));
}

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

describe('a sign-in older than 12 hours', () => {
  test('shows the keys, changes none and asks to sign in again', async ({ open }) => {
    const [account] = await Promise.all([makeAdmin(), seedKey()]);
    const { page } = await open('admin/');
    await backdateSignIn(page);
    await signIn(page, account);
    await page.getByRole('heading', { name: 'Sign in again to change anything' }).waitFor();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: /Create|Rotate|Revoke/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.unroute(PASSWORD_SIGN_IN);
    await signIn(page, account);
    await page.getByRole('button', { name: 'Create key' }).waitFor();
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

  test('is not given as the reason for another refusal', async ({ admin }) => {
    const { page } = admin;
    await page.route(COMMIT, deny);
    await admin.submitProject('Refused');
    await page.getByText('The database refused the change').waitFor();
    expect(await page.getByText(/12 hours ago/).count()).toBe(0);
    await page.unroute(COMMIT);
    await admin.createKey('😀');
  });

  test('signing in again does not end another tab’s sign-in', async ({ admin, open }) => {
    const { page } = await open('admin/');
    await backdateSignIn(page);
    await signIn(page, admin);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await admin.createKey('Acme DAO');
  });

  test('is not assumed if this machine’s clock is 13 hours fast', async ({
    context,
    openAdmin,
  }) => {
    await context.clock.setSystemTime(Date.now() + 13 * HOUR_MS);
    const { page, createKey } = await openAdmin();
    await createKey('Acme DAO');
    expect(await page.getByText('Sign in again').count()).toBe(0);
  });
});
