// The pages in a browser whose translator replaces each text node by an element, as those of Chrome and Edge do. The
// translation is the text itself, so a page must show the same as without a translator: what states/ has. After an
// intended change, run the file with `-u`.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { makeAccount } from '../support/client.ts';
import { randomWallet } from '../support/seed.ts';
import { adminPage, projectName } from './adminArea.ts';
import { makeToken, test } from './tab.ts';

const TRANSLATOR = `
  const KEPT = '[translate="no"], code, font, option, script, style';
  function translate() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      if (text.data.trim() === '' || text.parentElement.closest(KEPT)) continue;
      const translated = document.createElement('font');
      translated.append(document.createElement('font'));
      translated.firstChild.textContent = text.data;
      text.replaceWith(translated);
    }
  }
  addEventListener('DOMContentLoaded', () => {
    new MutationObserver(translate).observe(document.body, {
      childList: true, subtree: true, characterData: true,
    });
    translate();
  });`;

async function startTranslator(page: Page): Promise<void> {
  await page.addInitScript(TRANSLATOR);
  await page.reload();
  await page.locator('font').first().waitFor();
}

/** Names and ids are never translated, in whatever sentence they stand. */
async function expectKept(page: Page, ...kept: readonly string[]): Promise<void> {
  const translated = (await page.locator('font').allTextContents()).join('\n');
  for (const text of kept) expect(translated).not.toContain(text);
}

/** What assistive technology gets, without what differs between two users and minutes: times, ids and addresses. */
const shown = async (part: Locator, ...secrets: readonly string[]): Promise<string> =>
  secrets
    .reduce((text, secret) => text.replaceAll(secret, '#'), await part.ariaSnapshot())
    // Whether a value is quoted depends on the value.
    .replaceAll(/: "(.*)"$/gm, ': $1')
    .replaceAll(/\u2068.*?\u2069|[^\s"/]*[\d…#][^\s"/]*?(?=[.,:]?(?:["\s/]|$))/gm, '#');

/** Walks through the states of the identity-proof page. @returns what it shows in each */
async function identityStates(page: Page): Promise<string[]> {
  const states: string[] = [];
  const look = async (sentence: string): Promise<void> => {
    await page.getByText(sentence).first().waitFor();
    states.push(await shown(page.locator('body')));
    await expectKept(page, 'Acme DAO', 'Spring vote', 'Example Operator');
  };
  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  await page.getByText('Valid', { exact: true }).waitFor();
  await page.route('**/documents**', (route) => route.abort());
  await press('Generate Verification Token');
  await look('It is not known whether your token was created');
  await page.unroute('**/documents**');
  await press('Try again');
  await look('The list does not show your new token');
  await press('Generate Verification Token');
  await look('Your token is ready');
  await press('Revoke all');
  await look('Revoke all 2 valid tokens?');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke all' }).click();
  await page.getByText('Revoked', { exact: true }).nth(1).waitFor();
  await look('The 2 tokens are revoked.');
  await press('Send the e-mail');
  await look('We have sent an e-mail');
  await press('Check the address again');
  await look('Your address is still not verified');
  await press('Sign out');
  await page.getByLabel('E-mail address').fill('nobody@example.com');
  await press('Forgot your password?');
  await look('If this address has an account');
  await page.getByLabel('Password').fill('wrong');
  await press('Sign in');
  await look('the password is wrong');
  // Another user's page in this browser is not signed out.
  await page.evaluate('localStorage.clear()');
  return states;
}

test('the identity-proof page shows the same when it is translated', async ({ open }) => {
  const walk = async (isTranslated: boolean): Promise<string[]> => {
    const wallet = randomWallet();
    const account = await makeAccount({ wallet });
    await makeToken(account.uid, wallet, { project: 'Acme DAO', note: 'Spring vote' });
    const page = await open('identity/', account);
    if (isTranslated) await startTranslator(page);
    return await identityStates(page);
  };
  for (const isTranslated of [false, true])
    await expect((await walk(isTranslated)).join('\n\n')).toMatchFileSnapshot(
      'states/identity.txt',
    );
});

/** Walks through the states of a key. @returns what the admin area shows in each */
async function keyStates(page: Page): Promise<string[]> {
  const admin = adminPage(page);
  const states: string[] = [];
  let key = 'none yet';
  const look = async (): Promise<void> => {
    for (const parts of [admin.rowOf(project), admin.dialog, page.locator('.outcome')])
      for (const part of await parts.all()) states.push(await shown(part, key, key.slice(-4)));
    await expectKept(page, project, keyId(hashApiKey(key)));
  };
  const project = projectName();
  await page.getByRole('button', { name: 'Create key' }).click();
  await admin.dialog.getByLabel('Project', { exact: true }).fill(project);
  await page.keyboard.press('Enter');
  await admin.dialog.getByText('Choose at least one.').waitFor();
  await look();
  await admin.dialog.getByLabel(/^wallet/i).check();
  await page.keyboard.press('Escape');
  await admin.dialog.getByText('Press Escape again').waitFor();
  await look();
  await page.keyboard.press('Enter');
  key = await admin.shownKey();
  await admin.rowOf(project).waitFor();
  await look();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await admin.dialog.getByText('You have not copied the key').waitFor();
  await look();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await admin.dialog.waitFor({ state: 'detached' });
  // A browser renders no text of a row that other tests' keys push below the screen.
  await admin.search(project);
  await look();
  await page.getByRole('button', { name: 'Create key' }).click();
  await admin.dialog.getByLabel('Project', { exact: true }).fill(project);
  await admin.dialog.locator('[aria-live]', { hasText: 'already has an active key' }).waitFor();
  await look();
  await admin.dialog.getByRole('button', { name: 'Cancel' }).click();
  for (const action of [/^Edit/, /^Rotate/]) {
    await admin.rowOf(project).getByRole('button', { name: action }).click();
    await admin.dialog.getByLabel('Ends').selectOption('After a date');
    await look();
    await admin.dialog.getByRole('button', { name: 'Cancel' }).click();
  }
  await admin.revoke(project, 'xxxx');
  await admin.dialog.locator('.problem', { hasText: /\S/ }).waitFor();
  await look();
  await admin.dialog.getByRole('textbox').fill(key.slice(-4));
  await admin.dialog.getByRole('button', { name: 'Revoke key' }).click();
  await admin.rowOf(project).getByText('Revoked').waitFor();
  await look();
  return states;
}

test('the admin area shows the same when it is translated', async ({ admin: { page } }) => {
  for (const prepare of [async () => {}, startTranslator]) {
    await prepare(page);
    await expect((await keyStates(page)).join('\n\n')).toMatchFileSnapshot('states/admin.txt');
  }
});
