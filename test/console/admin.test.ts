// Creates, rotates and revokes keys on the page "PoH API Keys", as an admin and as others.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { DocumentSnapshot } from 'firebase-admin/firestore';
import type { Route } from 'playwright-core';
import { expect } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../contract/endpoint.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { SITE_PORT } from '../../tools/sandbox/emulatorAddresses.ts';
import { makeAccount } from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedAdmin } from '../support/seed.ts';
import {
  adminPage,
  documentOf,
  inDays,
  projectName,
  recordOf,
  recordsOf,
  seedRecord,
  seedUse,
} from './adminArea.ts';
import {
  COMMIT,
  check,
  checkDark,
  deny,
  focused,
  keptText,
  makeAdmin,
  pasted,
  shownTime,
  signIn,
  test,
  WIDTHS,
} from './tab.ts';

const { db } = openEmulators();

const statusWith = async (key: string): Promise<number> =>
  (await send(servedUrl, { key, target: `?wallet=${randomWallet()}` })).status;

const daysUntilEnd = (record: DocumentSnapshot): number =>
  Math.round(((record.get('expiresAt')?.toMillis() ?? NaN) - Date.now()) / DAY_MS);

async function storedText(): Promise<string> {
  const collections = await db.listCollections();
  const snapshots = await Promise.all(collections.map((collection) => collection.get()));
  return JSON.stringify(snapshots.flatMap(({ docs }) => docs.map((one) => [one.id, one.data()])));
}

// With the keyboard only, and the focus stays in dialogs.
test('creates, copies and revokes a key, whose text is never sent, stored or logged', async ({
  context,
  open,
  traces,
}) => {
  const { email, password, uid } = await makeAdmin();
  const page = await open('admin/');
  const { rowOf, shownKey } = adminPage(page);
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const tabTo = async (name: RegExp): Promise<void> => {
    while (!name.test(await focused(page))) await press('Tab');
  };
  // The heading takes the focus once, also from a field.
  await expect.poll(() => focused(page)).toBe('h1 Sign in');
  for (const text of [email, password]) {
    await press('Tab');
    await page.keyboard.type(text);
  }
  await press('Enter');
  await expect.poll(() => focused(page)).toBe('h1 PoH API Keys');
  // Only the user's own keys move a ring.
  const ring = (): Promise<string> =>
    page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  const rings = [await ring()];
  await page.getByRole('button', { name: 'Create key' }).waitFor();
  await press('Tab');
  expect(await focused(page)).toBe('button Create key');
  expect(await ring()).toBe('solid');
  await press('Enter');
  expect(await focused(page)).toMatch(/^dialog Create a key/);
  await press('Tab');
  const project = `<img src=x onerror=alert(1)> ${randomUUID()}`;
  await page.keyboard.type(project);
  await press('Enter');
  // No mode is ticked at first.
  await page.getByText('Choose at least one.').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('wallet');
  await press('Space');
  await press('Enter');
  const key = await shownKey();
  expect(key).toMatch(API_KEY_PATTERN);
  await expect.poll(() => focused(page)).toMatch(/^dialog The new key of /);
  rings.push(await ring());
  for (let i = 0; i < 8; i += 1) {
    await press('Tab');
    expect(await focused(page)).toMatch(/^(button (Copy|I have stored it)|summary|body)/);
  }
  await tabTo(/^button Copy$/);
  await press('Enter');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await pasted(context)).toBe(key);
  expect((await recordOf(key)).data()).toStrictEqual({
    active: true,
    project,
    hint: key.slice(-4),
    modes: ['wallet'],
    expiresAt: expect.anything(),
    createdAt: expect.anything(),
    createdBy: uid,
  });
  expect(daysUntilEnd(await recordOf(key))).toBe(365);
  expect(await statusWith(key)).toBe(200);
  expect(await keptText(page)).not.toContain(key);

  await tabTo(/^button I have stored it$/);
  await press('Enter');
  await expect.poll(() => focused(page)).toBe(`p A key for ${project} was created.`);
  expect([...rings, await ring()]).toEqual(['none', 'none', 'none']);
  const leave = "dispatchEvent(new Event('beforeunload', { cancelable: true }))";
  expect(await page.evaluate(leave), 'may be left').toBe(true);
  await rowOf(project).getByText('Active').waitFor();
  expect(await page.content()).not.toContain(key);

  await tabTo(new RegExp(`^button Revoke the key of .*${key.slice(-4)}$`));
  const opener = await focused(page);
  await press('Enter');
  await press('Escape');
  expect(await focused(page)).toBe(opener);
  await press('Enter');
  await press('Tab');
  await page.keyboard.type(key.slice(-4));
  await press('Enter');
  const revoked = `p The key ${keyId(hashApiKey(key))} of ${project} is revoked.`;
  await expect.poll(() => focused(page)).toBe(revoked);
  expect(await statusWith(key)).toBe(401);
  await rowOf(project)
    .getByText(/Revoked.*by you/)
    .waitFor();
  expect((await recordOf(key)).data()).toMatchObject({ active: false, revokedBy: uid });

  const everything = [...traces, await keptText(page), await storedText()].join('\n');
  expect(everything).toContain(hashApiKey(key));
  expect(everything).not.toContain(key.slice('poh_'.length));
  expect(await page.locator('img').count()).toBe(0);
});

test('rotates a key by creating a second one, while the old one works for another week', async ({
  admin,
}) => {
  const { page, rowOf } = admin;
  const project = `שלום ${randomUUID()} (test)`;
  const first = await admin.createKey(project);
  // A right-to-left name does not change the order of what stands beside it.
  const isolated = page.locator('bdi', { hasText: project });
  expect(await page.getByRole('heading').filter({ has: isolated }).count()).toBe(1);
  await admin.finish();
  await page.locator('.outcome:not(.warning)').filter({ has: isolated }).waitFor();
  // axe needs long for all keys of all tests.
  await admin.search(project);
  await admin.rotate(project);
  const second = await admin.shownKey();
  await check(page);
  await admin.finish();
  const [firstId = '', secondId = ''] = [first, second].map((key) => keyId(hashApiKey(key)));
  const { expiresAt } = (await recordOf(first)).data() ?? {};
  const end = await shownTime(page, expiresAt.toMillis());
  await page.getByText(`The old one, ${firstId}, works until ${end}, unless`).waitFor();
  await rowOf(`${firstId}ends in`).getByText(`replaced by ${secondId}`).waitFor();
  await rowOf(`${firstId}ends in`)
    .getByText(/changed .* by you/)
    .waitFor();
  await rowOf(`${secondId}ends in`).waitFor();
  await rowOf(`${firstId}ends in`).getByText('Ends soon').waitFor();
  const row = rowOf(`${firstId}ends in`);
  await row.getByRole('rowheader').filter({ has: isolated }).waitFor();
  await row.getByRole('button', { name: /^Rotate/ }).click();
  await admin.dialog.getByText(`The key ${secondId} already replaces it.`).waitFor();
  expect(await Promise.all([first, second].map(statusWith))).toEqual([200, 200]);
  expect(daysUntilEnd(await recordOf(first))).toBe(7);
  expect((await recordOf(second)).get('project')).toBe(project);
});

test('a rotated key ends only on request, never later than it would, and not if it is revoked', async ({
  admin,
}) => {
  for (const [isEnded, stored, change, days] of [
    [false, {}, {}, NaN],
    [true, { expiresAt: inDays(30) }, { expiresAt: inDays(3) }, 3],
    [true, {}, { active: false }, NaN],
  ] as const) {
    const project = projectName();
    const kept = { modes: ['token'], readsPerSecond: 500, contact: 'a contact' };
    const old = documentOf(await seedRecord({ project, ...kept, ...stored }));
    await admin.readAgain();
    await admin.rowOf(project).waitFor();
    // Another admin may change it.
    await old.set(change, { merge: true });
    await admin.rotate(project, isEnded);
    const key = await admin.shownKey();
    expect(daysUntilEnd(await old.get())).toBe(days);
    const record = await recordOf(key);
    expect(record.data()).toMatchObject({ project, ...kept });
    // A key that replaces one with an end gets a year.
    expect(daysUntilEnd(record) > 364).toBe('expiresAt' in stored);
    const { replacedBy } = (await old.get()).data() ?? {};
    expect(replacedBy).toBe('active' in change ? undefined : keyId(hashApiKey(key)));
    await admin.finish();
  }
  const [project, end] = [projectName(), inDays(3)];
  await seedRecord({ project, expiresAt: end });
  await admin.readAgain();
  await admin
    .rowOf(project)
    .getByRole('button', { name: /^Rotate/ })
    .click();
  const shown = await shownTime(admin.page, end.getTime());
  await admin.dialog.getByText(`works until ${shown}`).waitFor();
  expect(await admin.dialog.getByLabel('End the old key').count()).toBe(0);
  await admin.dialog.getByRole('button', { name: 'Create key' }).click();
  await admin.finish();
  await admin.page.getByText(`works until ${shown}, unless you revoke it.`).waitFor();
});

test('limits what a new key may do, and tests it with a command that does not contain it', async ({
  admin: { page, dialog, search, shownKey },
  context,
}) => {
  await search('no key');
  await page.getByRole('button', { name: 'Create key' }).click();
  const wrong = dialog.locator('[aria-invalid="true"]:not([type="checkbox"])');
  const tooLong = 'x'.repeat(101);
  for (const [project, contact, name, description] of [
    [' ', '', 'Project', /^Who the key is for.* Name the project that/],
    [tooLong, '', 'Project', /Name the project in 1 to 100 characters/],
    [`${projectName()} & Co`, tooLong, 'Contact (optional)', /Give the contact in/],
  ] as const) {
    await dialog.getByLabel('Project', { exact: true }).fill(project);
    await dialog.getByLabel('Contact').fill(contact);
    await page.keyboard.press('Enter');
    const field = dialog.getByRole('textbox', { name, exact: true, description });
    await field.and(wrong).waitFor();
    expect(await wrong.count()).toBe(1);
  }
  await check(page);
  await dialog.getByLabel('Contact').fill('security@acme.example');
  // A corrected field is no longer called wrong, before the form is submitted again.
  expect(await wrong.count()).toBe(0);
  expect(
    await dialog.locator('label input:not([type="checkbox"], [autocomplete="off"])').count(),
  ).toBe(0);
  const modes = dialog.getByRole('group', { name: 'May look up by' }).getByRole('checkbox');
  expect(await modes.count()).toBe(3);
  for (const mode of await modes.all()) expect(await mode.isChecked()).toBe(false);
  const reads = dialog.getByLabel('Reads a second (optional)');
  const noMode = dialog.getByRole('group', { description: 'Choose at least one.' });
  for (const wrongReads of ['-5', '0', '1.5', '9'.repeat(16)]) {
    await reads.fill(wrongReads);
    await page.keyboard.press('Enter');
    await noMode.waitFor();
    await dialog.getByText('Write a whole number above 0').waitFor();
  }
  await reads.fill('500');
  await dialog.getByLabel(/^Token/i).check();
  expect(await noMode.count()).toBe(0);
  const [past = '', lastDay = ''] = [-1, 0].map((days) => inDays(days).toISOString().slice(0, 10));
  await dialog.getByLabel('Ends').selectOption('After a date');
  for (const wrongDay of [past, '2100-01-01']) {
    await dialog.getByLabel('Last day').fill(wrongDay);
    await page.keyboard.press('Enter');
    await dialog.getByText('Choose a day from today until').waitFor();
  }
  await dialog.getByLabel('Last day').fill(lastDay);
  await page.keyboard.press('Enter');
  const key = await shownKey();
  const record = await recordOf(key);
  const limits = { modes: ['token'], readsPerSecond: 500, contact: 'security@acme.example' };
  expect(record.data()).toMatchObject(limits);
  expect(await statusWith(key)).toBe(403);
  // The last day counts in full, in UTC, as on the command line.
  expect(record.get('expiresAt').toMillis()).toBe(Date.parse(lastDay) + DAY_MS);

  const { project } = record.data() ?? {};
  await dialog.getByRole('button', { name: 'Copy message for the integrator' }).click();
  const site = `http://127.0.0.1:${SITE_PORT}`;
  expect((await pasted(context)).split('\n')).toEqual([
    'You get your key for the Proof-of-Humanity lookup separately. Keep it in a secret manager, on servers only.',
    `Guide: ${site}/guide.html`,
    `Endpoint: ${site}/pohAttestationsEndpoint`,
    `Your project’s exact name: ${project}`,
    expect.stringMatching(/^The key allows: lookups only by token, 500 reads a second, ends 20/),
    `Where people make tokens for you: ${new URL(page.url()).origin}/identity/?for=${encodeURIComponent(project)}`,
  ]);

  await dialog.getByRole('button', { name: 'Copy command' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).first().waitFor();
  const command = (await dialog.locator('code', { hasText: 'curl' }).textContent()) ?? '';
  const [url = ''] = /http:\S+/.exec(command) ?? [];
  expect(command).not.toContain(key);
  const { stdout } = spawnSync('bash', ['-c', command.replace(url, servedUrl)], {
    input: `${key}\n`,
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toMatchObject({ code: 'missing_subject' });
});

test('changes a key on record, and nothing of one that is revoked meanwhile', async ({ admin }) => {
  const { page, dialog, rowOf } = admin;
  const project = projectName();
  const stored = { project, contact: 'x'.repeat(101), readsPerSecond: '5', createdBy: 'x' };
  const hash = await seedRecord({ ...stored, expiresAt: inDays(3) });
  const record = async () => (await documentOf(hash).get()).data();
  await admin.readAgain();
  const edit = () => rowOf(project).getByRole('button', { name: `Edit the key of ${project}` });
  await edit().click();
  for (const mode of ['wallet', 'token']) {
    await dialog
      .getByRole('checkbox', { name: new RegExp(`^${mode}`, 'i') })
      .setChecked(mode === 'token');
  }
  await dialog.getByRole('checkbox', { name: /^e-mail/i }).uncheck();
  await dialog.getByLabel('Ends').selectOption({ index: 2 });
  await check(page, WIDTHS);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`The key ${keyId(hash)} of ${project} was changed: lookups only`).waitFor();
  const { expiresAt, ...others } = (await record()) ?? {};
  expect(Math.round((expiresAt.toMillis() - Date.now()) / DAY_MS)).toBe(90);
  // A limit of a wrong type goes too.
  const { readsPerSecond: _, ...kept } = stored;
  const change = { modes: ['token'], changedAt: expect.anything(), changedBy: admin.uid };
  expect(others).toStrictEqual({ active: true, hint: 'x1Yz', ...kept, ...change });
  await rowOf(project)
    .getByText(/changed .* by you/)
    .waitFor();

  // A change of nothing has no author.
  const changed = await record();
  await edit().click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await record()).toStrictEqual(changed);

  await edit().click();
  await dialog.getByLabel('Contact').fill('');
  await documentOf(hash).update({ active: false });
  const revoked = await record();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const refusal = `The key ${keyId(hash)} is no longer active`;
  await page.locator('.outcome.warning', { hasText: refusal }).waitFor();
  expect(await record()).toStrictEqual(revoked);
});

test('the end of a key counts from the database’s time, not from that of the machine', async ({
  admin,
  context,
}) => {
  const project = projectName();
  const hash = await seedRecord({ project, expiresAt: inDays(1) });
  await context.clock.install({ time: Date.now() + 26 * HOUR_MS });
  await admin.page.reload();
  await admin.revoke(project);
  await admin.page.getByText(`The key ${keyId(hash)} of ${project} is revoked.`).waitFor();
  const key = await admin.createKey(projectName());
  expect(daysUntilEnd(await recordOf(key))).toBe(365);
});

test('offers to rotate the active key of a project that has one', async ({ admin }) => {
  const project = projectName();
  await seedRecord({ project: project.toUpperCase(), modes: ['token'], contact: 'a contact' });
  await admin.readAgain();
  await admin.rowOf(project.toUpperCase()).waitFor();
  await admin.page.setViewportSize({ width: 640, height: 480 });
  await admin.page.getByRole('button', { name: 'Create key' }).click();
  await admin.dialog.getByLabel('Project', { exact: true }).fill(project);
  await admin.dialog.getByRole('button', { name: 'Rotate it instead' }).click();
  const rotation = admin.page.getByRole('dialog', { name: `Rotate the key of ${project}` });
  await rotation.getByText('No figures of its use yet', { exact: false }).waitFor();
  expect(await rotation.getByRole('checkbox', { checked: true }).count()).toBe(2);
  expect(await rotation.getByLabel('Contact').inputValue()).toBe('a contact');
  await rotation.getByLabel('Contact').fill('security@acme.example');
  await admin.page.keyboard.press('Escape');
  await rotation.getByText('Press Escape again to discard it.').waitFor();
  // On a low screen too, the question is seen.
  const cancel = rotation.getByRole('button', { name: 'Cancel' });
  await expect.poll(async () => (await cancel.boundingBox())?.y).toBeLessThan(480);
  await admin.page.keyboard.press('Escape');
  await rotation.waitFor({ state: 'detached' });
});

test('before a key is revoked, names it, says how much it is used and asks for its last characters', async ({
  admin,
}) => {
  const { page, dialog } = admin;
  const project = projectName();
  const hash = await seedRecord({ project, createdAt: new Date(0), createdBy: admin.uid });
  const asOf = inDays(-1);
  await seedUse(hash, { lookups: 1_204, refused: 0, lastUsedOn: '2026-11-27' }, asOf);
  const time = await shownTime(page, asOf.getTime());
  const use = `ast used 27 Nov, 1,204 lookups in 30 days, as of ${time}`;
  await admin.readAgain();
  await admin.search(project);
  for (const action of [/^Edit/, /^Rotate/]) {
    await admin.rowOf(project).getByRole('button', { name: action }).click();
    await dialog.getByText(use).waitFor();
    await page.keyboard.press('Escape');
  }
  await admin.revoke(project, 'poh_another');
  await dialog.getByText('This is not the last four characters of the key').waitFor();
  await check(page);
  await checkDark(page);
  expect((await documentOf(hash).get()).get('active')).toBe(true);
  const text = await dialog.textContent();
  expect(text).toContain(`Id ${keyId(hash)}, created ${await shownTime(page, 0)} by youType`);
  expect(text).toContain(`The key of ${project} that ends in x1Yz stops working`);
  expect(text).toContain(use);
  await dialog.getByRole('textbox').fill(' ');
  expect(await dialog.getByRole('alert').count()).toBe(0);
});

test('finds a key by any form of its name, and revokes one without a hint by its id', async ({
  admin: { page, dialog, readAgain, rowOf, search },
}) => {
  const id = randomUUID();
  const hash = await seedRecord({ project: `Caf\u00e9 DAO\u00a0${id} by hand`, hint: 7 });
  await readAgain();
  await search(`  cafe\u0301   dao ${id}`);
  await rowOf(keyId(hash))
    .getByRole('button', { name: /^Revoke/ })
    .click();
  expect(await dialog.locator('label code').textContent()).toBe(keyId(hash));
  expect(await dialog.textContent()).not.toContain('ends in');
  await dialog.getByRole('textbox').fill(keyId(hash));
  await page.keyboard.press('Enter');
  await page.getByText(`The key ${keyId(hash)} of`).waitFor();
  expect((await documentOf(hash).get()).get('active')).toBe(false);
});

test('never sees a key as revoked if the database refuses the change or cannot be reached', async ({
  admin,
}) => {
  const { page, rowOf } = admin;
  const project = projectName();
  const hash = await seedRecord({ project });
  await admin.readAgain();
  const failures: readonly [(route: Route) => Promise<void>, string][] = [
    [deny, 'The database refused the change'],
    [(route) => route.fulfill({ status: 401, json: {} }), 'The database refused the change'],
    [(route) => route.abort(), 'It is not known whether the key was revoked'],
  ];
  for (const [respond, sentence] of failures) {
    await page.route(COMMIT, respond);
    await admin.revoke(project);
    await page.getByText(sentence).waitFor();
    // A refusal may be that of the attempt before.
    if (respond !== failures.at(-1)?.[0]) await admin.dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('is revoked.').count()).toBe(0);
    expect(await page.getByText(/12 hours ago/).count()).toBe(0);
    await rowOf(project).getByText('Active').waitFor();
  }
  expect((await documentOf(hash).get()).get('active')).toBe(true);
});

test('cannot lose a key by pressing Escape, and is warned before the page is reloaded', async ({
  admin: { page, createKey, shownKey },
}) => {
  const key = await createKey(projectName());
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Escape');
  expect(await shownKey()).toBe(key);

  const warned = page.waitForEvent('dialog').then(async (dialog) => {
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
  });
  await Promise.all([page.reload(), warned]);
});

test('a user who is not an admin sees a notice until they sign in after the grant', async ({
  open,
}) => {
  const account = await makeAccount();
  const page = await open('admin/', account);
  const refused = page.getByRole('heading', { name: 'You are not an admin' });
  await refused.waitFor();
  await page.getByText('You signed in with a password.').waitFor();
  expect(await page.getByText('npm run').count()).toBe(0);
  await check(page);
  const grantedAt = new Date(Date.now() + 1000);
  await seedAdmin(account.uid, true, { grantedAt });
  await page.reload();
  await refused.waitFor();
  const offered = page.getByRole('table').or(page.getByRole('button', { name: 'Create key' }));
  expect(await offered.count()).toBe(0);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await expect.poll(() => Date.now()).toBeGreaterThan(grantedAt.getTime());
  await signIn(page, account);
  await page.getByRole('button', { name: 'Create key' }).waitFor();
});

test('an admin who is revoked while signed in can neither create nor revoke a key', async ({
  admin,
}) => {
  const project = projectName();
  const old = documentOf(await seedRecord({ project }));
  for (const act of [() => admin.submitProject(`${project} new`), () => admin.revoke(project)]) {
    await seedAdmin(admin.uid, true);
    await admin.readAgain();
    await admin.rowOf(project).waitFor();
    await seedAdmin(admin.uid, false);
    await act();
    await admin.page.getByRole('heading', { name: 'You are no longer an admin' }).waitFor();
    await admin.dialog.waitFor({ state: 'detached' });
  }
  expect((await old.get()).get('active')).toBe(true);
  expect(await recordsOf(`${project} new`)).toEqual([]);
});
