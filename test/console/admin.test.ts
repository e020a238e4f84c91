// The page "PoH API Keys" in a real browser, with the headers of Hosting, against the emulators.

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hashApiKey, type KeyHash, keyId, parseKeyHash } from '../../records/apiKey.ts';
import { isApiKeyText } from '../../records/apiKeyText.ts';
import { emulatedEndpoint } from '../../sandbox/emulatorAddresses.ts';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { hasChromium } from '../page/browser.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import { openConsole } from './openConsole.ts';
import {
  createKey,
  keptText,
  makeAdmin,
  openTab,
  pasted,
  shownKey,
  signIn,
  type Tab,
} from './tab.ts';

const { db } = openEmulators();
const COMMIT = '**/documents:commit*';
const READ = '**/documents:batchGet*';
/** Firestore's response when the rules refuse. */
const DENIED = { error: { code: 403, message: '', status: 'PERMISSION_DENIED' } };

const area = openConsole();

const projectName = (): string => `Acme ${randomUUID()}`;
const openAdmin = (): Promise<Tab> => openTab(area.context, `${area.site.url}admin/`);

/** @returns a tab in which an admin is signed in */
async function openAsAdmin(): Promise<Tab & Account> {
  const account = await makeAdmin();
  const tab = await openAdmin();
  await signIn(tab.page, account);
  await tab.page.getByRole('button', { name: 'Create key' }).waitFor();
  return { ...tab, ...account };
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
  test('creates, copies and revokes a key, and sends its text nowhere else', async () => {
    const { page, faults, sent, logged, uid } = await openAsAdmin();
    const project = `<img src=x onerror=alert(1)> ${randomUUID()}`;
    const key = await createKey(page, project);
    expect(isApiKeyText(key)).toBe(true);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied.').waitFor();
    expect(await pasted(area.context)).toBe(key);
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

  test('rotates a key by creating a second one, while the old one keeps working', async () => {
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
    const record = await recordOf(second);
    expect(record.data()).toMatchObject({ project, rotates: hashApiKey(first) });
    expect(faults).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['101 characters', 'x'.repeat(101)],
    ['a bidirectional character', 'Acme\u202eDAO'],
  ])('sees the rule for a project after typing %s', async (_, name) => {
    const { page, uid } = await openAsAdmin();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project', { exact: true }).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Name the project in 1 to 100 characters').waitFor();
    expect((await db.collection('apiKeys').where('createdBy', '==', uid).get()).size).toBe(0);
  });

  test('revokes nothing if another name is typed', async () => {
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

const hash = (text: string): KeyHash => parseKeyHash(text) ?? hashApiKey(text);
const randomHash = (): string => randomBytes(32).toString('hex');

describe.skipIf(!hasChromium)('the list', () => {
  /** Stores a key's record with any fields, as a person could write it by hand. */
  async function seedRecord(fields: object, id: string = randomHash()): Promise<void> {
    await db
      .collection('apiKeys')
      .doc(id)
      .set({ active: true, hint: 'x1Yz', ...fields });
  }

  test('shows invalid records as not usable, and offers no actions for them', async () => {
    const project = projectName();
    const badId = `by-hand-${randomUUID()}`;
    await Promise.all([
      seedRecord({ project, active: 'yes' }),
      seedRecord({ project, active: false }),
      seedRecord({ project }, badId),
    ]);
    const { page } = await openAsAdmin();
    await page.getByRole('searchbox').fill(project);
    await rowOf(page, 'neither true nor false').getByText('Not usable').waitFor();
    await rowOf(page, badId).getByText('Not usable').waitFor();
    expect(await rowOf(page, project).getByText('Revoked', { exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /^(Rotate|Revoke)/ }).count()).toBe(0);
  });

  test('has a history that the search filters, in order, with rotations', async () => {
    const project = projectName();
    const [old, young] = [randomHash(), randomHash()];
    const creation = { project, createdAt: new Date(), createdBy: 'cli' };
    await seedRecord({ ...creation, createdAt: new Date(0) }, old);
    const revocation = { active: false, revokedAt: creation.createdAt, revokedBy: 'cli' };
    await seedRecord({ ...creation, ...revocation, rotates: old }, young);
    const { page } = await openAsAdmin();
    await page.getByRole('searchbox').fill(project);
    const [oldId, youngId] = [keyId(hash(old)), keyId(hash(young))];
    await expect
      .poll(async () =>
        (await page.getByRole('listitem').allTextContents()).map((text) => text.split('Key ')[1]),
      )
      .toEqual([
        `${youngId} of ${project} revoked by the command line`,
        `${youngId} of ${project} created to replace ${oldId} by the command line`,
        `${oldId} of ${project} created by the command line`,
      ]);
  });

  test('can be sorted, copied, exported and opened in the log', async () => {
    const { page, email } = await openAsAdmin();
    const base = randomUUID();
    const project = `=${base} "B"`;
    const key = await createKey(page, project, 'security@acme.example');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await rowOf(page, project).waitFor();
    await seedRecord({ project: `${base} A`, createdAt: new Date(0), createdBy: 'cli' });
    await page.reload();
    await page.getByRole('searchbox').fill(base);
    const projects = page.locator('tbody th');
    const inOrder = [`${project}security@acme.example`, `${base} A`];
    await expect.poll(() => projects.allTextContents()).toEqual(inOrder);
    await page.getByLabel('Order').selectOption('Oldest first');
    expect(await projects.allTextContents()).toEqual(inOrder.toReversed());
    await page.getByLabel('Order').selectOption('Newest first');

    const id = keyId(hashApiKey(key));
    const named = `the key of ${project}, ending in ${key.slice(-4)}`;
    await page.getByRole('button', { name: `Copy id of ${named}` }).click();
    expect(await pasted(area.context)).toBe(id);
    const link = page.getByRole('link', { name: `Lookups with ${named}` });
    const address = decodeURIComponent((await link.getAttribute('href')) ?? '');
    expect(address).toContain(`jsonPayload.keyId="${id}"`);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('api-keys.csv');
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines).toHaveLength(4);
    const fields = [id, `'=${base} ""B""`, 'security@acme.example', key.slice(-4), 'active'];
    expect(lines[1]).toContain(fields.map((field) => `"${field}"`).join(','));
    expect(lines[1]).toContain(`"${email}"`);
    expect(lines[2]).toContain(`"${base} A","","x1Yz","active","1970-01-01T00:00:00.000Z"`);
  });

  test('isolates a name that is written from right to left, also in messages and titles', async () => {
    const { page } = await openAsAdmin();
    const project = `שלום ${randomUUID()} (test)`;
    await createKey(page, project);
    const isolated = page.locator('bdi', { hasText: project });
    expect(await page.getByRole('heading').filter({ has: isolated }).count()).toBe(1);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('status').filter({ has: isolated }).waitFor();
  });

  test('reads only its newest page again when the tab becomes visible', async () => {
    const { page } = await openAsAdmin();
    const queries: unknown[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('"apiKeys"')) queries.push(request.postDataJSON());
    });
    const [project, id] = [projectName(), randomHash()];
    await seedRecord({ project, createdAt: new Date() }, id);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await rowOf(page, project).getByText('Active').waitFor();
    await db.collection('apiKeys').doc(id).update({ active: false, revokedAt: new Date() });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await rowOf(page, project).getByText('Revoked').waitFor();
    expect(queries).toHaveLength(4);
    for (const query of queries) expect(query).toMatchObject({ structuredQuery: { limit: 100 } });
  });
});

describe.skipIf(!hasChromium)('access', () => {
  test('a user who is not an admin sees a notice, and gets nothing from the database', async () => {
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
        await page.getByLabel('Project', { exact: true }).fill('Never stored');
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
  test('the second one says who has already revoked the key', async () => {
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
      .getByText(`The key ${keyId(hashApiKey(key))} was already revoked`)
      .filter({ hasText: `by ${first.email}` })
      .waitFor();
    expect((await recordOf(key)).get('revokedBy')).toBe(first.uid);
  });

  test('signing out in one signs out in both, and leaves nothing behind', async () => {
    const [first, second] = [await openAsAdmin(), await openAsAdmin()];
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    for (const { page } of [first, second]) {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['poh-sign-out-admin']);
      expect(await page.getByRole('table').count()).toBe(0);
    }
  });

  test('signing out in one also signs out a tab that shows another site at that moment', async () => {
    const [first, second] = [await openAsAdmin(), await openAsAdmin()];
    await first.page.goto('about:blank');
    await second.page.getByRole('button', { name: 'Sign out' }).click();
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await first.page.goBack();
    await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await first.page.evaluate('sessionStorage.length')).toBe(0);

    await signIn(first.page, await makeAdmin());
    await first.page.getByRole('button', { name: 'Create key' }).waitFor();
    await first.page.reload();
    await first.page.getByRole('button', { name: 'Create key' }).waitFor();
  });

  test('signing out in one signs out a page that returns from the back/forward cache', async () => {
    const [first, second] = [await openAsAdmin(), await openAsAdmin()];
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
  });

  test('signing out of the other area does not affect this one', async () => {
    const { page } = await openAsAdmin();
    const other = await openTab(area.context, `${area.site.url}identity/`);
    await signIn(other.page, await makeAccount());
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await createKey(page, projectName());
  });

  test('a key stays visible after sign-out, until it is acknowledged', async () => {
    const [first, second] = [await openAsAdmin(), await openAsAdmin()];
    const key = await createKey(second.page, projectName());
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    await second.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(await second.page.getByRole('table').count()).toBe(0);
    expect(await shownKey(second.page)).toBe(key);
    await second.page.getByRole('button', { name: 'Copy', exact: true }).click();
    expect(await pasted(area.context)).toBe(key);
    await second.page.getByRole('button', { name: 'I have stored it' }).click();
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await second.page.content()).not.toContain(key);
  });

  test('a key that is being stored is shown even after sign-out', async () => {
    const [first, second] = [await openAsAdmin(), await openAsAdmin()];
    const { promise: isStored, resolve: reportStored } = Promise.withResolvers<void>();
    const { promise: isSignedOut, resolve: respond } = Promise.withResolvers<void>();
    await second.page.route(COMMIT, async (route) => {
      const response = await route.fetch();
      reportStored();
      await isSignedOut;
      await route.fulfill({ response });
    });
    const project = projectName();
    await second.page.getByRole('button', { name: 'Create key' }).click();
    await second.page.getByLabel('Project', { exact: true }).fill(project);
    await second.page.keyboard.press('Enter');
    await isStored;
    await second.page.getByText('Storing…').waitFor();
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    await second.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    respond();
    const key = await shownKey(second.page);
    expect((await recordOf(key)).get('project')).toBe(project);
  });

  test('a key that was not stored before sign-out is not created', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    await page.route(COMMIT, async (route) => {
      // The response arrives after the sign-out, and denies the write.
      await page.evaluate(`localStorage.setItem('poh-sign-out-admin', 'elsewhere');
        dispatchEvent(new StorageEvent('storage'))`);
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await route.fulfill({ status: 403, json: DENIED });
    });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project', { exact: true }).fill(project);
    await page.keyboard.press('Enter');
    await page.getByText('No key was created. Sign in and create it again.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await recordsOf(project)).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('offline in the middle of creating', () => {
  const abort = (route: Route): Promise<void> => route.abort('internetdisconnected');
  const TITLE = 'It is not known whether the key was stored';

  async function createWithout(page: Page, project: string): Promise<void> {
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project', { exact: true }).fill(project);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: TITLE }).waitFor();
    expect(await page.getByRole('group', { name: 'API key' }).count()).toBe(0);
  }

  test('before the request is sent, nothing is shown, and a retry stores the same key once', async () => {
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

  test('before the response arrives, the stored key is found and shown', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    const lose = async (route: Route): Promise<void> => {
      await route.fetch();
      await abort(route);
    };
    await page.route(COMMIT, lose, { times: 1 });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project', { exact: true }).fill(project);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = await shownKey(page);
    expect((await recordsOf(project)).map(({ id }) => id)).toEqual([hashApiKey(key)]);
  });

  test('after giving up, a key that was stored is marked for revocation', async () => {
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
    await rowOf(page, project).getByText('Never shown to anyone, so revoke it').waitFor();
  });

  test('after a denied retry, a key that was stored stays marked', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    const refuse = (route: Route): Promise<void> => route.fulfill({ status: 403, json: DENIED });
    // Stores the key, but loses the response and those of the reads that follow.
    await page.route(COMMIT, async (route) => {
      await page.route(READ, abort);
      await route.fetch();
      await abort(route);
    });
    await createWithout(page, project);
    await page.route(READ, refuse);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'The database refused the change' }).waitFor();
    const mark = rowOf(page, project).getByText('Never shown to anyone, so revoke it');
    await mark.waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, await makeAdmin());
    await mark.waitFor();
  });

  test('the list stays, with a notice that it may be out of date', async () => {
    const { page } = await openAsAdmin();
    const project = projectName();
    await createKey(page, project);
    await page.route('**/documents**', abort);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('The data shown may be out of date').waitFor();
    await page.unroute('**/documents**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, project).waitFor();
    expect(await page.getByText('may be out of date').count()).toBe(0);
  });
});
