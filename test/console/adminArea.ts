// The page "PoH API Keys" with an admin's actions, and the stored keys.

import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { DAY_MS } from '../../contract/endpoint.ts';
import { hashApiKey, type KeyHash, keyId } from '../../records/apiKey.ts';
import { newKeyUse } from '../../records/keyUse.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';

const { db } = openEmulators();

export const projectName = (): string => `Acme ${randomUUID()}`;
const randomHash = (): KeyHash => hashApiKey(randomUUID());

export const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

export const documentOf = (hash: string) => db.collection('apiKeys').doc(hash);
export const recordOf = (key: string) => documentOf(hashApiKey(key)).get();
export const recordsOf = async (project: string) =>
  (await db.collection('apiKeys').where('project', '==', project).get()).docs;

/** Stores a key's record with any fields, as a person could write it by hand. @returns its id */
export async function seedRecord(fields: object, id = randomHash()): Promise<KeyHash> {
  await documentOf(id).set({ active: true, hint: 'x1Yz', ...fields });
  return id;
}

/** Stores how much a key is used. */
export const seedUse = (hash: KeyHash, use: Parameters<typeof newKeyUse>[0], asOf = new Date()) =>
  db.collection('keyUse').doc(keyId(hash)).set(newKeyUse(use, asOf));

/** What an admin does on the page. */
export function adminPage(page: Page) {
  const dialog = page.getByRole('dialog');
  const rowOf = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
  const press = (name: string): Promise<void> => dialog.getByRole('button', { name }).click();

  /** Submits the dialog for a new key, which may look up by wallet. */
  async function submitProject(project: string): Promise<void> {
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project', { exact: true }).fill(project);
    await dialog.getByLabel(/^wallet/i).check();
    await press('Create key');
  }

  const shownKey = async (): Promise<string> =>
    (await page.getByRole('group', { name: 'API key' }).locator('code').textContent()) ?? '';

  async function createKey(project: string): Promise<string> {
    await submitProject(project);
    return await shownKey();
  }

  /** Submits the dialog for rotating a project's only key. */
  async function rotate(project: string, isEnded = true): Promise<void> {
    await rowOf(project)
      .getByRole('button', { name: /^Rotate/ })
      .click();
    await dialog.getByLabel('End the old key in a week').setChecked(isEnded);
    await press('Create key');
  }

  /**
   * Revokes a project's only key.
   *
   * @param key the key's text, of which the dialog wants the end
   * @param meanwhile what happens while the dialog is open
   */
  async function revoke(
    project: string,
    key = 'x1Yz',
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    await rowOf(project)
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await dialog.getByRole('textbox').fill(key.slice(-4));
    await meanwhile();
    await press('Revoke key');
  }

  /** Closes the dialog with a new key, which asks once if the key was not copied. */
  async function finish(): Promise<void> {
    await press('I have stored it');
    await press('Close without the key');
  }

  const search = (text: string): Promise<void> => page.getByRole('searchbox').fill(text);

  /** Reads the list again, which it also does when the connection returns. */
  const readAgain = (): Promise<void> => page.evaluate("dispatchEvent(new Event('online'))");

  return {
    dialog,
    readAgain,
    rowOf,
    submitProject,
    shownKey,
    createKey,
    rotate,
    finish,
    revoke,
    search,
  };
}
