// The pages without a connection, or without something else that they need.

import type { Locator, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { hashApiKey } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { projectName, recordsOf } from './adminArea.ts';
import { COMMIT, deny, focused, QUERY, test } from './tab.ts';

const { db } = openEmulators();

const READ = '**/documents:batchGet*';
const abort = (route: Route): Promise<void> => route.abort('internetdisconnected');
const TITLE = 'It is not known whether the key was stored';

const shownKeys = (page: Page): Promise<number> =>
  page.getByRole('group', { name: 'API key' }).count();

/** Lets the time of a page's clock pass until the page shows this. */
const passTimeUntil = (page: Page, shown: Locator): Promise<void> =>
  expect
    .poll(async () => {
      await page.clock.fastForward(1_000);
      return await shown.isVisible();
    })
    .toBe(true);

test('before the request is sent, nothing is shown, and a retry stores the same key once', async ({
  admin,
}) => {
  const { page } = admin;
  const project = projectName();
  await page.clock.install();
  let shownTooEarly = 0;
  await page.route(COMMIT, async (route) => {
    shownTooEarly += await shownKeys(page);
    await abort(route);
  });
  await admin.submitProject(project);
  await passTimeUntil(page, page.getByRole('heading', { name: TITLE }));
  expect(await shownKeys(page)).toBe(0);
  expect(shownTooEarly, 'keys shown before they were stored').toBe(0);
  expect((await recordsOf(project)).length).toBe(0);
  // Only this page can try again with this key.
  const leave = "dispatchEvent(new Event('beforeunload', { cancelable: true }))";
  expect(await page.evaluate(leave), 'may be left').toBe(false);

  await page.unroute(COMMIT);
  // The response to the retry is lost, so the page has to find out that the key is stored.
  const lose = async (route: Route): Promise<void> => {
    await route.fetch();
    await abort(route);
  };
  await page.route(COMMIT, lose, { times: 1 });
  await page.getByRole('button', { name: 'Try again' }).click();
  const key = await admin.shownKey();
  expect((await recordsOf(project)).map(({ id }) => id)).toEqual([hashApiKey(key)]);
});

test('after giving up, a key that is stored later appears', async ({ admin }) => {
  const { page } = admin;
  const project = projectName();
  const { promise: isGivenUp, resolve: giveUp } = Promise.withResolvers<void>();
  let commits = 0;
  await page.clock.install();
  await page.route(COMMIT, async (route) => {
    commits += 1;
    await isGivenUp;
    await route.continue();
  });
  await admin.submitProject(project);
  await page.getByRole('button', { name: 'Storing…' }).click({ force: true });
  const busy = page.locator('form[aria-busy="true"] [aria-disabled="true"]');
  expect(await busy.allTextContents()).toEqual(['Cancel', 'Storing…']);
  // Does not close the dialog, which alone knows the key.
  await page.keyboard.press('Escape');
  await page.clock.fastForward(21_000);
  await page.getByRole('heading', { name: TITLE }).waitFor();
  // After a denied retry it is still not known whether the earlier attempt stored the key.
  await page.route(READ, deny, { times: 1 });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Give up' }).click();
  const message = await page.locator('.outcome.warning').textContent();
  expect(await admin.rowOf(project).count()).toBe(0);
  giveUp();
  await admin.rowOf(project).waitFor();
  expect(commits, 'requests that stored a key').toBe(1);
  const [stored] = await recordsOf(project);
  expect(message).toContain(`a key that ends in ${stored?.get('hint')} was stored`);
});

test('losing the network while a token is created shows a notice, and later the token', async ({
  openUser,
  traces,
}) => {
  const { page } = await openUser();
  const generate = page.getByRole('button', { name: 'Generate Verification Token' });
  // Only a list that has been read may be out of date.
  await page.getByText('You have no tokens').waitFor();
  await page.clock.install();
  await page.route('**/documents**', async (route) => {
    if (route.request().url().includes(':commit')) await route.fetch();
    await route.abort('internetdisconnected');
  });
  await generate.click();
  await page.getByText('It is not known whether your token was created').waitFor();
  expect(await page.getByRole('alert').filter({ hasText: /\S/ }).count()).toBe(1);
  await page.getByText('The data shown may be out of date').waitFor();
  await page.getByRole('button', { name: 'Try again' }).focus();
  await page.unroute('**/documents**');
  // Nobody presses the button: the page tries again by itself.
  await page.clock.fastForward(16_000);
  await page.getByText('New', { exact: true }).waitFor();
  expect(await page.getByText('It is not known').count()).toBe(0);
  await expect.poll(() => focused(page)).toMatch(/^p Your token is ready/);
  // The library ends an interval and removes listeners only after the next frame.
  const passFrame = (): Promise<void> => page.clock.runFor(1_000);
  await passFrame();
  const count = traces.length;
  await page.clock.fastForward(16_000);
  // A page that works or is hidden, or has nobody signed in, does not read by itself.
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    delete document.visibilityState`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await passFrame();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  expect(traces.slice(count)).toEqual([]);
});

test('a token that was not stored is generated again once the list is without it', async ({
  openUser,
}) => {
  const { page } = await openUser();
  await page.route(COMMIT, abort);
  await page.getByRole('button', { name: 'Generate Verification Token' }).click();
  const unlisted = 'The list does not show your new token. Generate it again.';
  await page.locator('.outcome.warning', { hasText: unlisted }).waitFor();
  await page.unroute(COMMIT);
  await page.getByRole('button', { name: 'Generate Verification Token' }).click();
  await page.getByText('Your token is ready').waitFor();
  expect(await page.getByRole('listitem').count()).toBe(1);
});

test('an earlier read that ends later does not replace the list', async ({ openUser }) => {
  const { page, tokens } = await openUser({});
  await page.getByText('Valid', { exact: true }).waitFor();
  const late = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  await page.route(
    QUERY,
    async (route) => {
      const response = await route.fetch();
      isHeld.resolve();
      await late.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const read = "document.dispatchEvent(new Event('visibilitychange'))";
  await page.evaluate(read);
  await isHeld.promise;
  await db.doc(`verificationTokens/${tokens[0]}`).update({ revoked: true });
  await page.evaluate(read);
  await page.getByText('Revoked', { exact: true }).waitFor();
  const isRead = page.waitForResponse(QUERY);
  late.resolve();
  await isRead;
  await page.evaluate('new Promise(requestAnimationFrame)');
  expect(await page.getByText('Revoked', { exact: true }).count()).toBe(1);
});

test('a page says so when its script or settings do not arrive, or its storage is blocked', async ({
  context,
  site,
}) => {
  const page = await context.newPage();
  const recover = async (): Promise<void> => {
    await page.getByText('try again', { exact: false }).last().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto(`${site.url}admin/`);
  await page.getByText('If this stays, check your network').waitFor();
  await page.unroute('**/assets/*.js');
  await recover();
  expect(await page.getByText('If this stays').count()).toBe(0);

  await page.clock.install();
  const responses: readonly ((route: Route) => Promise<void> | undefined)[] = [
    (route) => route.fulfill({ status: 404 }),
    (route) => route.fulfill({ json: {} }),
    () => undefined,
  ];
  for (const respond of responses) {
    await page.route('**/init.json', respond);
    const isRequested = page.waitForRequest('**/init.json');
    await page.reload();
    await isRequested;
    await page.getByText('Loading…').or(page.getByText('could not be opened')).waitFor();
    await page.clock.fastForward(21_000);
    await page.getByRole('heading', { name: 'This page could not be opened' }).waitFor();
    await page.unroute('**/init.json');
    await recover();
  }

  for (const blocked of ["throw new DOMException('', 'SecurityError')", 'return null']) {
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { configurable: true, get() { ${blocked}; } })`,
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Your browser blocks this page’s storage' }).waitFor();
  }
});

test('a page says so when the sign-in has to be renewed and Authentication does not respond', async ({
  admin: { page },
}) => {
  await page.clock.install({ time: Date.now() + 2 * 60 * 60 * 1000 });
  let isAway = true;
  await page.route('**/securetoken.googleapis.com/**', (route) =>
    isAway ? undefined : route.continue(),
  );
  await page.reload();
  // The timeout may begin after the page shows that it is loading.
  await passTimeUntil(
    page,
    page.getByRole('heading', { name: 'Your sign-in could not be checked' }),
  );
  // Authentication responds only after the button reloads the page, which would otherwise recover by itself.
  page.once('framenavigated', () => {
    isAway = false;
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Create key' }).waitFor();
});
