// The page "PoH API Keys" in a real browser, with the headers of Hosting, against the emulators.

import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { isApiKeyText } from '../../records/apiKeyText.ts';
import { emulatedEndpoint } from '../../sandbox/emulatorAddresses.ts';
import { type ServedSite, serveConsole } from '../../sandbox/hosting.ts';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { hasChromium, launchBrowser } from '../page/browser.ts';
import { makeAccount } from '../support/client.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import {
  createKey,
  keptText,
  makeAdmin,
  openContext,
  openTab,
  pasted,
  shownKey,
  signIn,
  type Tab,
} from './tab.ts';

const { db } = openEmulators();
const COMMIT = '**/documents:commit*';

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

const projectName = (): string => `Acme ${randomUUID()}`;
const openAdmin = (): Promise<Tab> => openTab(context, `${site.url}admin/`);

/** @returns a tab in which an admin is signed in */
async function openAsAdmin(): Promise<Tab & { uid: string }> {
  const account = await makeAdmin();
  const tab = await openAdmin();
  await signIn(tab.page, account);
  await tab.page.getByRole('button', { name: 'Create key' }).waitFor();
  return { ...tab, uid: account.uid };
}

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const recordOf = (key: string) => db.collection('apiKeys').doc(hashApiKey(key)).get();
const recordsOf = async (project: string) =>
  (await db.collection('apiKeys').where('project', '==', project).get()).docs;
const statusWith = async (key: string): Promise<number> =>
  (await send(emulatedEndpoint(), { key, target: `?wallet=${randomWallet()}` })).status;

async function revoke(page: Page, project: string): Promise<void> {
  await rowOf(page, project)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.getByRole('dialog').getByRole('textbox').fill(project);
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
}

async function storedText(): Promise<string> {
  const collections = await db.listCollections();
  const snapshots = await Promise.all(collections.map((collection) => collection.get()));
  return JSON.stringify(snapshots.flatMap(({ docs }) => docs.map((one) => [one.id, one.data()])));
}

describe.skipIf(!hasChromium)('an admin', () => {
  test('creates, copies and revokes a key, whose text goes nowhere else', async () => {
    const { page, faults, sent, logged, uid } = await openAsAdmin();
    const project = `<img src=x onerror=alert(1)> ${randomUUID()}`;
    const key = await createKey(page, project);
    expect(isApiKeyText(key)).toBe(true);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await pasted(context)).toBe(key);
    expect((await recordOf(key)).data()).toStrictEqual({
      active: true,
      project,
      hint: key.slice(-4),
      createdAt: expect.anything(),
      createdBy: uid,
    });
    expect(await statusWith(key)).toBe(200);
    expect(await keptText(page)).not.toContain(key);

    await page.getByRole('button', { name: 'I have stored it' }).click();
    await rowOf(page, project).getByText('Active').waitFor();
    expect(await page.content()).not.toContain(key);
    const id = keyId(hashApiKey(key));
    await page
      .getByRole('listitem')
      .filter({ hasText: `${id} of ${project} created by you` })
      .waitFor();

    await revoke(page, project);
    await page.getByText(`The key ${id} of ${project} is revoked.`).waitFor();
    expect(await statusWith(key)).toBe(401);
    await rowOf(page, project)
      .getByText(/Revoked.*by you/)
      .waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: `${id} of ${project} revoked by you` })
      .waitFor();
    expect((await recordOf(key)).data()).toMatchObject({ active: false, revokedBy: uid });

    const everything = [...sent, ...logged, await keptText(page), await storedText()].join('\n');
    expect(everything).toContain(hashApiKey(key));
    expect(everything).not.toContain(key);
    expect(everything).not.toContain(key.slice('poh_'.length));
    expect(await page.locator('img').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('rotates a key: a second one for the same project, the old one goes on', async () => {
    const { page, faults } = await openAsAdmin();
    const project = projectName();
    const first = await createKey(page, project);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await rowOf(page, project)
      .getByRole('button', { name: /^Rotate/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const second = await shownKey(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(`revoke the old one, ${keyId(hashApiKey(first))}`).waitFor();
    expect(await Promise.all([first, second].map(statusWith))).toEqual([200, 200]);
    expect((await recordOf(second)).get('project')).toBe(project);
    expect(faults).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['101 characters', 'x'.repeat(101)],
    ['a bidirectional character', 'Acme\u202eDAO'],
  ])('sees the rule for a project: not %s', async (_, name) => {
    const { page, uid } = await openAsAdmin();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Name the project in 1 to 100 characters').waitFor();
    expect((await db.collection('apiKeys').where('createdBy', '==', uid).get()).size).toBe(0);
  });

  test('revokes nothing with another name typed', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    const key = await createKey(page, project);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await rowOf(page, project)
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByRole('dialog').getByRole('textbox').fill(project.toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByText('That is not the name above').waitFor();
    expect((await recordOf(key)).get('active')).toBe(true);
  });

  test('cannot lose a key by Escape, and is warned before the page is reloaded', async () => {
    const { page } = await openAsAdmin();
    const key = await createKey(page, projectName());
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Escape');
    expect(await shownKey(page)).toBe(key);

    const warned = page.waitForEvent('dialog').then(async (dialog) => {
      expect(dialog.type()).toBe('beforeunload');
      await dialog.accept();
    });
    await Promise.all([page.reload(), warned]);
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await keptText(page)).not.toContain(key);
  });
});

describe.skipIf(!hasChromium)('who may not', () => {
  test('a user who is no admin sees a notice, and gets nothing from the database', async () => {
    const { page } = await openAdmin();
    const statuses: number[] = [];
    page.on('response', (response) => {
      const isQuery = response.request().method() === 'POST' && /documents/.test(response.url());
      if (isQuery) statuses.push(response.status());
    });
    await signIn(page, await makeAccount());
    await page.getByRole('heading', { name: 'You are not an admin' }).waitFor();
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  });

  test.each<readonly [string, (page: Page, project: string) => Promise<void>]>([
    [
      'create',
      async (page) => {
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByLabel('Project').fill('Never stored');
        await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      },
    ],
    ['revoke', revoke],
  ])('an admin who is revoked while signed in cannot %s', async (_, act) => {
    const { page, uid } = await openAsAdmin();
    const project = projectName();
    const key = await createKey(page, project);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await rowOf(page, project).waitFor();
    const before = (await recordsOf('Never stored')).length;

    await seedAdmin(uid, false);
    await act(page, project);
    await page.getByRole('heading', { name: 'You are not an admin' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await recordOf(key)).get('active')).toBe(true);
    expect((await recordsOf('Never stored')).length).toBe(before);
  });
});

describe.skipIf(!hasChromium)('two tabs', () => {
  test('the second one says who has revoked the key already', async () => {
    const first = await openAsAdmin();
    const project = projectName();
    const key = await createKey(first.page, project);
    await first.page.getByRole('button', { name: 'I have stored it' }).click();
    await rowOf(first.page, project).waitFor();

    const second = await openAsAdmin();
    await rowOf(second.page, project).waitFor();
    await revoke(first.page, project);
    await first.page.getByText('is revoked.').waitFor();
    await revoke(second.page, project);
    await second.page
      .getByText(`The key ${keyId(hashApiKey(key))} was revoked already`)
      .filter({ hasText: `by admin ${first.uid}` })
      .waitFor();
    expect((await recordOf(key)).get('revokedBy')).toBe(first.uid);
  });

  test('signing out in one signs out in both, and leaves nothing behind', async () => {
    const [first, second] = [await openAsAdmin(), await openAsAdmin()];
    const key = await createKey(second.page, projectName());
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    for (const { page } of [first, second]) {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
      expect(await page.getByRole('table').count()).toBe(0);
      expect(await page.content()).not.toContain(key);
    }
  });
});

describe.skipIf(!hasChromium)('offline in the middle of creating', () => {
  const abort = (route: Route): Promise<void> => route.abort('internetdisconnected');
  const TITLE = 'It is not known whether the key was stored';

  async function createWithout(page: Page, project: string): Promise<void> {
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project').fill(project);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: TITLE }).waitFor();
    expect(await page.getByRole('group', { name: 'API key' }).count()).toBe(0);
  }

  test('before the request leaves: nothing is shown, and the same key is stored once later', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    await page.route(COMMIT, abort);
    await createWithout(page, project);
    expect((await recordsOf(project)).length).toBe(0);

    await page.unroute(COMMIT);
    await page.getByRole('button', { name: 'Try again' }).click();
    const key = await shownKey(page);
    expect((await recordsOf(project)).map(({ id }) => id)).toEqual([hashApiKey(key)]);
  });

  test('before the response arrives: the stored key is found again, and shown', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    const lose = async (route: Route): Promise<void> => {
      await route.fetch();
      await abort(route);
    };
    await page.route(COMMIT, lose, { times: 1 });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project').fill(project);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = await shownKey(page);
    expect((await recordsOf(project)).map(({ id }) => id)).toEqual([hashApiKey(key)]);
  });

  test('given up, a key that was stored after all is marked to be revoked', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    let isOffline = false;
    const cutOff = async (route: Route): Promise<void> => {
      if (!isOffline && route.request().url().includes(':commit')) {
        isOffline = true;
        await route.fetch();
      }
      if (isOffline) await abort(route);
      else await route.continue();
    };
    await page.route('**/documents**', cutOff);
    await createWithout(page, project);
    const [record] = await recordsOf(project);
    expect(record?.get('active')).toBe(true);

    await page.unroute('**/documents**');
    await page.getByRole('button', { name: 'Give up' }).click();
    await page.getByText(`a key that ends in ${record?.get('hint')}`).waitFor();
    await rowOf(page, project).getByText('Never shown to anybody: revoke it').waitFor();
  });

  test('the list stays, with a notice that it may be out of date', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    await createKey(page, project);
    await page.route('**/documents**', abort);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('What is shown may be out of date').waitFor();
    await page.unroute('**/documents**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, project).waitFor();
    expect(await page.getByText('may be out of date').count()).toBe(0);
  });
});
