// The pages in several tabs.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { makeAccount } from '../support/client.ts';
import { adminPage, projectName, recordOf } from './adminArea.ts';
import { COMMIT, pasted, signIn, test } from './tab.ts';

/** Opens the same page in another tab, which is signed in too. */
async function duplicate(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.evaluate('void open(location.href)');
  return await opened;
}

const signOutIn = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Sign out' }).click();
const createKeyIn = (page: Page) => page.getByRole('button', { name: 'Create key' });
const isSignedOut = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'Sign in' }).waitFor();

test('signing out in one signs out all: visible ones, on another site and in the back/forward cache', async ({
  admin: { page: first, ...account },
}) => {
  const second = await duplicate(first);
  const away = await duplicate(first);
  const cached = await duplicate(first);
  for (const page of [second, away]) await createKeyIn(page).waitFor();
  await away.goto('about:blank');
  // A cached page gets no storage event, only `pageshow` when it returns.
  await cached.addInitScript(
    "addEventListener('storage', (event) => event.stopImmediatePropagation(), true)",
  );
  await cached.reload();
  await createKeyIn(cached).waitFor();

  await signOutIn(first);
  for (const page of [first, second]) {
    await isSignedOut(page);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['poh-sign-out-admin']);
    expect(await page.getByRole('table').count()).toBe(0);
  }
  await second.getByText('You signed out in another tab.').waitFor();
  expect(await first.getByText('You signed out').count()).toBe(0);
  await away.goBack();
  await isSignedOut(away);
  expect(await createKeyIn(cached).isVisible()).toBe(true);
  await cached.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
  await isSignedOut(cached);

  // A new sign-in stores the id of this sign-out, and the next sign-out removes it.
  for (const page of [first, second]) {
    await signIn(page, account);
    await createKeyIn(page).waitFor();
  }
  await signOutIn(first);
  for (const page of [first, second, away, cached]) {
    await isSignedOut(page);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  }
});

test('signing out of the identity-proof area signs out all its tabs, and not the admin area', async ({
  admin,
  open,
}) => {
  const first = await open('identity/', await makeAccount());
  const second = await duplicate(first);
  await second.getByRole('button', { name: 'Sign out' }).waitFor();
  await signOutIn(first);
  await isSignedOut(second);
  await admin.createKey(projectName());
});

test('a key stays visible after sign-out, until it is acknowledged', async ({
  admin: { page: first },
  context,
}) => {
  const page = await duplicate(first);
  const second = adminPage(page);
  const { promise: isStored, resolve: reportStored } = Promise.withResolvers<void>();
  const { promise: isSignedOutElsewhere, resolve: respond } = Promise.withResolvers<void>();
  await page.route(COMMIT, async (route) => {
    const response = await route.fetch();
    reportStored();
    await isSignedOutElsewhere;
    await route.fulfill({ response });
  });
  const project = projectName();
  await second.submitProject(project);
  await isStored;
  await page.getByText('Storing…').waitFor();
  await signOutIn(first);
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  // The key's record was stored before the sign-out.
  respond();
  const key = await second.shownKey();
  expect((await recordOf(key)).get('project')).toBe(project);
  // One click selects all of it.
  await page.getByRole('group', { name: 'API key' }).locator('code').click();
  await page.keyboard.press('Control+C');
  expect(await pasted(context)).toBe(key);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await isSignedOut(page);
  expect(await page.content()).not.toContain(key);
});
