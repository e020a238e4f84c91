// The list of keys on the page "PoH API Keys".

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hashApiKey, type KeyHash, keyId, parseKeyHash } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { hasChromium } from '../site/browser.ts';
import { openAsAdmin, projectName, rowOf } from './adminArea.ts';
import { openConsole } from './openConsole.ts';
import { createKey, pasted } from './tab.ts';

const { db } = openEmulators();
const area = openConsole();

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
    const { page } = await openAsAdmin(area);
    await page.getByRole('searchbox').fill(project);
    await rowOf(page, 'neither true nor false').getByText('Not usable').waitFor();
    await rowOf(page, badId).getByText('Not usable').waitFor();
    expect(await rowOf(page, project).getByText('Revoked', { exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /^(Rotate|Revoke)/ }).count()).toBe(0);
  });

  test('shows a history that is in order, includes rotations and is filtered by the search', async () => {
    const project = projectName();
    const [old, young] = [randomHash(), randomHash()];
    const creation = { project, createdAt: new Date(), createdBy: 'cli' };
    await seedRecord({ ...creation, createdAt: new Date(0) }, old);
    const revocation = { active: false, revokedAt: creation.createdAt, revokedBy: 'cli' };
    await seedRecord({ ...creation, ...revocation, rotates: old }, young);
    const { page } = await openAsAdmin(area);
    await page.getByRole('searchbox').fill(project);
    const [oldId, youngId] = [keyId(hash(old)), keyId(hash(young))];
    await expect
      .poll(async () =>
        (await page.getByRole('listitem').allTextContents()).map((text) => text.split('Key ')[1]),
      )
      .toEqual([
        `${youngId} of ${project} revoked by the command line`,
        `${youngId} of ${project} created by the command line to replace ${oldId}`,
        `${oldId} of ${project} created by the command line`,
      ]);
  });

  test('can be sorted, copied, exported and opened in the log', async () => {
    const { page, email } = await openAsAdmin(area);
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

  test('isolates a right-to-left name, including in messages and titles', async () => {
    const { page } = await openAsAdmin(area);
    const project = `שלום ${randomUUID()} (test)`;
    await createKey(page, project);
    const isolated = page.locator('bdi', { hasText: project });
    expect(await page.getByRole('heading').filter({ has: isolated }).count()).toBe(1);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('status').filter({ has: isolated }).waitFor();
  });

  test('reads only its newest page again when the tab becomes visible', async () => {
    const { page } = await openAsAdmin(area);
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
