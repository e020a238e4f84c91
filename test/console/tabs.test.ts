// The pages in several tabs.

import { expect } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { makeAccount } from '../support/client.ts';
import { projectName, recordOf, recordsOf } from './adminArea.ts';
import { COMMIT, deny, makeAdmin, pasted, shownTime, signIn, test } from './tab.ts';

test('the second tab says who has already revoked the key', async ({ openAdmin }) => {
  const first = await openAdmin();
  const project = projectName();
  const key = await first.storeKey(project);
  await first.rowOf(project).waitFor();

  const second = await openAdmin();
  await second.rowOf(project).waitFor();
  await first.revoke(project, key);
  await first.page.getByText('is revoked.').waitFor();
  const record = await recordOf(key);
  const at = await shownTime(first.page, record.get('revokedAt').toMillis());
  await second.revoke(project, key);
  await second.page
    .getByText(`The key ${keyId(hashApiKey(key))} was already revoked on ${at} by ${first.email}`)
    .waitFor();
  expect(record.get('revokedBy')).toBe(first.uid);
});

test('signing out in one signs out all: visible ones, on another site and in the back/forward cache', async ({
  openAdmin,
}) => {
  const [first, second] = [await openAdmin(), await openAdmin()];
  const signInAgain = async (): Promise<void> => {
    for (const { page } of [first, second]) {
      await signIn(page, await makeAdmin());
      await page.getByRole('button', { name: 'Create key' }).waitFor();
    }
  };
  await first.page.getByRole('button', { name: 'Sign out' }).click();
  for (const { page } of [first, second]) {
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['poh-sign-out-admin']);
    expect(await page.getByRole('table').count()).toBe(0);
  }
  await second.page.getByText('You signed out in another tab.').waitFor();
  expect(await first.page.getByText('You signed out').count()).toBe(0);

  await signInAgain();
  await first.page.goto('about:blank');
  await second.page.getByRole('button', { name: 'Sign out' }).click();
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await first.page.goBack();
  await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await first.page.evaluate('sessionStorage.length')).toBe(0);

  await signInAgain();
  // A cached page gets no storage event, only `pageshow` when it returns.
  await first.page.addInitScript(
    "addEventListener('storage', (event) => event.stopImmediatePropagation(), true)",
  );
  await first.page.reload();
  const createKeyButton = first.page.getByRole('button', { name: 'Create key' });
  await createKeyButton.waitFor();
  await second.page.getByRole('button', { name: 'Sign out' }).click();
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await createKeyButton.isVisible()).toBe(true);
  await first.page.evaluate(
    "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
  );
  await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  // Each had stored the id of the first sign-out when it signed in again.
  for (const { page } of [first, second])
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('signing out of the identity-proof area signs out all its tabs, and not the admin area', async ({
  admin,
  open,
}) => {
  const account = await makeAccount();
  const [first, second] = [await open('identity/', account), await open('identity/', account)];
  await first.page.getByRole('button', { name: 'Sign out' }).click();
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await admin.createKey(projectName());
});

test('a key stays visible after sign-out, until it is acknowledged', async ({
  context,
  openAdmin,
}) => {
  const [first, second] = [await openAdmin(), await openAdmin()];
  const { promise: isStored, resolve: reportStored } = Promise.withResolvers<void>();
  const { promise: isSignedOut, resolve: respond } = Promise.withResolvers<void>();
  await second.page.route(COMMIT, async (route) => {
    const response = await route.fetch();
    reportStored();
    await isSignedOut;
    await route.fulfill({ response });
  });
  const project = projectName();
  await second.submitProject(project);
  await isStored;
  await second.page.getByText('Storing…').waitFor();
  await first.page.getByRole('button', { name: 'Sign out' }).click();
  await second.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  expect(await second.page.getByRole('table').count()).toBe(0);
  expect(await second.page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  // The key's record was stored before the sign-out.
  respond();
  const key = await second.shownKey();
  expect((await recordOf(key)).get('project')).toBe(project);
  await second.page.getByRole('button', { name: 'Copy', exact: true }).click();
  expect(await pasted(context)).toBe(key);
  await second.page.getByRole('button', { name: 'I have stored it' }).click();
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await second.page.content()).not.toContain(key);
});

test('a key that was not stored before sign-out is not created', async ({
  admin: { page, submitProject },
}) => {
  const project = projectName();
  await page.route(COMMIT, async (route) => {
    // The response arrives after the sign-out, and denies the write.
    await page.evaluate(`localStorage.setItem('poh-sign-out-admin', 'elsewhere');
      dispatchEvent(new StorageEvent('storage'))`);
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await deny(route);
  });
  await submitProject(project);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await recordsOf(project)).toEqual([]);
});
