// The page "PoH API Keys" with an admin's actions, and the stored keys.

import { randomUUID } from 'node:crypto';
import type { Locator, Page, Route } from 'playwright-core';
import { hashApiKey, type KeyHash } from '../../records/apiKey.ts';
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

export const randomHash = (): KeyHash => hashApiKey(randomUUID());

/** Stores a key's record with any fields, as a person could write it by hand. */
export async function seedRecord(fields: object, id: string = randomHash()): Promise<void> {
  await db
    .collection('apiKeys')
    .doc(id)
    .set({ active: true, hint: 'x1Yz', ...fields });
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

export const rowOf = (page: Page, text: string): Locator =>
  page.getByRole('row').filter({ hasText: text });

export const recordOf = (key: string) => db.collection('apiKeys').doc(hashApiKey(key)).get();

export const recordsOf = async (project: string) =>
  (await db.collection('apiKeys').where('project', '==', project).get()).docs;

/** Contains letters that are not hex digits, so that no id contains it. */
export const hintOf = (i: number): string => `h${i.toString(36).padStart(3, '0')}`;

interface Listed {
  readonly project: string;
  readonly active: boolean | string;
  readonly contact?: string;
  /** The id of the record. The default is a hash. */
  readonly id?: string;
  readonly createdBy?: string;
}

const hashOf = (i: number): string => i.toString(16).padStart(64, '0');

/** Keys as Firestore returns them from a query. */
export function keysOf(records: readonly Listed[]) {
  const readTime = '2026-11-21T12:00:00.000000Z';
  return records.map(({ project, active, contact, id, createdBy }, i) => ({
    readTime,
    document: {
      name: `projects/demo-poh/databases/(default)/documents/apiKeys/${id ?? hashOf(i)}`,
      createTime: readTime,
      updateTime: readTime,
      fields: {
        active: typeof active === 'string' ? { stringValue: active } : { booleanValue: active },
        project: { stringValue: project },
        hint: { stringValue: hintOf(i) },
        createdAt: { timestampValue: new Date(Date.UTC(2026, 9, 1) + i * 60_000).toISOString() },
        createdBy: { stringValue: createdBy ?? 'ops@example.com' },
        ...(contact !== undefined && { contact: { stringValue: contact } }),
        ...(active === false && {
          revokedAt: { timestampValue: '2026-11-02T09:30:00Z' },
          revokedBy: { stringValue: 'cli' },
        }),
      },
    },
  }));
}

/** Responds only to queries for keys. */
export const respondWith =
  (keys: unknown) =>
  (route: Route): Promise<void> =>
    route.request().postData()?.includes('"apiKeys"')
      ? route.fulfill({ json: keys })
      : route.fallback();
