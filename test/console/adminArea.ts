// The page "PoH API Keys" with an admin's actions, and the stored keys.

import type { Locator, Page } from 'playwright-core';
import { hashApiKey } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import type { Account } from '../support/client.ts';
import type { Console } from './openConsole.ts';
import { makeAdmin, openTab, signIn, type Tab } from './tab.ts';

const { db } = openEmulators();

export const projectName = (): string => `Acme ${crypto.randomUUID()}`;

export const openAdmin = ({ context, site }: Console): Promise<Tab> =>
  openTab(context, `${site.url}admin/`);

/** @returns a tab in which an admin is signed in */
export async function openAsAdmin(area: Console): Promise<Tab & Account> {
  const account = await makeAdmin();
  const tab = await openAdmin(area);
  await signIn(tab.page, account);
  await tab.page.getByRole('button', { name: 'Create key' }).waitFor();
  return { ...tab, ...account };
}

/** Submits the dialog for a new key. */
export async function submitProject(page: Page, project: string): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Project', { exact: true }).fill(project);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
}

/** Revokes a project's only key in the dialog. @param key the key's text, of which the dialog wants the end */
export async function revoke(page: Page, project: string, key: string): Promise<void> {
  await rowOf(page, project)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.getByRole('dialog').getByRole('textbox').fill(key.slice(-4));
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
}

/** Opens the menu of a row and presses one of its buttons. */
export async function chooseInMenu(row: Locator, name: RegExp): Promise<void> {
  await row.getByRole('button', { name: /^More/ }).click();
  await row.getByRole('button', { name }).click();
}

export const rowOf = (page: Page, text: string): Locator =>
  page.getByRole('row').filter({ hasText: text });

export const recordOf = (key: string) => db.collection('apiKeys').doc(hashApiKey(key)).get();

export const recordsOf = async (project: string) =>
  (await db.collection('apiKeys').where('project', '==', project).get()).docs;
