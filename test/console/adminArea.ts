// The page "PoH API Keys" with an admin's actions, and the stored keys.

import { randomUUID } from 'node:crypto';
import type { Locator, Page, Route } from 'playwright-core';
import { hashApiKey, type KeyHash } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';

const { db } = openEmulators();

export const projectName = (): string => `Acme ${randomUUID()}`;
const randomHash = (): KeyHash => hashApiKey(randomUUID());

export const DAY_MS = 24 * 60 * 60 * 1000;
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

/** What an admin does on the page. */
export function adminPage(page: Page) {
  const dialog = page.getByRole('dialog');
  const rowOf = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
  const press = (name: string): Promise<void> => dialog.getByRole('button', { name }).click();

  /** Submits the dialog for a new key. */
  async function submitProject(project: string): Promise<void> {
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Project', { exact: true }).fill(project);
    await press('Create key');
  }

  const shownKey = async (): Promise<string> =>
    (await page.getByRole('group', { name: 'API key' }).locator('code').textContent()) ?? '';

  async function createKey(project: string): Promise<string> {
    await submitProject(project);
    return await shownKey();
  }

  /** Creates a key, and closes the dialog. */
  async function storeKey(project: string): Promise<string> {
    const key = await createKey(project);
    await press('I have stored it');
    return key;
  }

  /** Submits the dialog for rotating a project's only key. */
  async function rotate(project: string, isEnded = true): Promise<void> {
    await rowOf(project)
      .getByRole('button', { name: /^Rotate/ })
      .click();
    await dialog.getByLabel('End the old key in a week').setChecked(isEnded);
    await press('Create key');
  }

  /** Revokes a project's only key. @param key the key's text, of which the dialog wants the end */
  async function revoke(project: string, key = 'x1Yz'): Promise<void> {
    await rowOf(project)
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await dialog.getByRole('textbox').fill(key.slice(-4));
    await press('Revoke key');
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
    storeKey,
    rotate,
    revoke,
    search,
  };
}

/** Contains letters that are not hex digits, so that no id contains it. */
export const hintOf = (i: number): string => `h${i.toString(36).padStart(3, '0')}`;

function fieldOf(value: unknown): object {
  if (typeof value === 'boolean') return { booleanValue: value };
  if (value instanceof Date) return { timestampValue: value.toISOString() };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(fieldOf) } };
  return { stringValue: value };
}

/** Responds to queries for keys with these records, as Firestore does. By default, the id is a hash. */
export function respondWith(records: readonly { id?: string; [field: string]: unknown }[]) {
  const readTime = '2026-11-21T12:00:00.000000Z';
  const json = records.map(({ id, ...fields }, i) => {
    const createdAt = new Date(Date.UTC(2026, 9, 1) + i * 60_000);
    const all = { hint: hintOf(i), createdAt, createdBy: 'ops@example.com', ...fields };
    return {
      readTime,
      document: {
        name: `projects/demo-poh/databases/(default)/documents/apiKeys/${id ?? i.toString(16).padStart(64, '0')}`,
        createTime: readTime,
        updateTime: readTime,
        fields: Object.fromEntries(Object.entries(all).map(([name, of]) => [name, fieldOf(of)])),
      },
    };
  });
  return (route: Route): Promise<void> =>
    route.request().postData()?.includes('"apiKeys"') ? route.fulfill({ json }) : route.fallback();
}
