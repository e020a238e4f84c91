// The list of keys on the page "PoH API Keys".

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hashApiKey, type KeyHash, keyId } from '../../records/apiKey.ts';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { hasChromium } from '../site/browser.ts';
import {
  hintOf,
  keysOf,
  openAsAdmin,
  projectName,
  randomHash,
  respondWith,
  revoke,
  rowOf,
  seedRecord,
} from './adminArea.ts';
import { openConsole } from './openConsole.ts';
import { focused, pasted, QUERY, storeKey } from './tab.ts';

const { db } = openEmulators();
const DAY_MS = 24 * 60 * 60 * 1000;
const area = openConsole();

/** Measures the list: the different widths of columns, the highest row and time, and the most Tab stops of a row. */
const layoutOf = (page: Page) =>
  page.evaluate(() => {
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
    const rows = all('tbody tr');
    const widthsOf = (row: HTMLElement): string =>
      [...row.children].map((cell) => cell.getBoundingClientRect().width).join(' ');
    const tabStops = (row: HTMLElement): number =>
      [...row.querySelectorAll('a, button')].filter((each) => each.checkVisibility()).length;
    const ofTwoLines = rows.filter((row) => !row.textContent.includes('replaced by'));
    return {
      columns: [...new Set(all('.keys tr').map(widthsOf))],
      highestRow: Math.max(...ofTwoLines.map((row) => row.getBoundingClientRect().height)),
      timeLines: Math.max(...all('time').map((time) => time.getClientRects().length)),
      tabStopsOfRow: Math.max(...rows.map(tabStops)),
    };
  });

describe.skipIf(!hasChromium)('the list', () => {
  test('reminds of keys that were replaced more than a week ago and are still active', async () => {
    const base = randomUUID();
    const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);
    const pair = async (name: string, days: number, old = {}, young = {}): Promise<KeyHash> => {
      const project = `${base} ${name}`;
      const [first, second] = [randomHash(), randomHash()];
      await seedRecord({ project, createdAt: ago(1_000), ...old }, first);
      await seedRecord({ project, createdAt: ago(days), rotates: first, ...young }, second);
      return first;
    };
    const [due] = await Promise.all([
      pair('due', 7.001),
      pair('recent', 6.999),
      pair('revoked', 9, { active: false }),
      pair('without a working successor', 9, {}, { active: false }),
    ]);
    const { page } = await openAsAdmin(area);
    await page.getByRole('region', { name: 'Replaced more than a week ago' }).waitFor();
    await page.getByRole('searchbox').fill(base);
    const rows = page.locator('tbody tr');
    const [first] = await rows.filter({ hasText: 'Replaced, revoke it' }).allTextContents();
    expect(first).toContain(`${base} due${keyId(due)}`);
    expect(await rows.first().textContent()).toBe(first);
    await revoke(page, 'Replaced, revoke it', 'x1Yz');
    await page.getByText(`The key ${keyId(due)} of ${base} due is revoked.`).waitFor();
    await expect.poll(() => rows.filter({ hasText: 'Replaced, revoke it' }).count()).toBe(0);
  });

  test('is read again after a change, so that it shows what the message says', async () => {
    const [project, id] = [projectName(), randomHash()];
    // Without a time, only reading the whole list shows a change of this record.
    await seedRecord({ project }, id);
    const { page } = await openAsAdmin(area);
    // Keys without a time are the last of the list, which begins with the newest.
    const search = page.getByRole('searchbox');
    await search.fill(project);
    await rowOf(page, project).waitFor();
    await db.collection('apiKeys').doc(id).update({ active: false });
    await revoke(page, project, 'x1Yz');
    await page.getByText(`${keyId(id)} was already revoked by unknown`).waitFor();
    await rowOf(page, project).getByText('Revoked').waitFor();
    const broken = randomHash();
    await seedRecord({ project: `${project} broken` }, broken);
    await page.reload();
    await search.fill(project);
    await rowOf(page, `${project} broken`).waitFor();
    await db.collection('apiKeys').doc(broken).update({ active: 'x' });
    await revoke(page, `${project} broken`, 'x1Yz');
    await page.getByText(`${keyId(broken)} does not work, because`).waitFor();
    const deleted = randomHash();
    await seedRecord({ project: `${project} deleted` }, deleted);
    await page.reload();
    await search.fill(project);
    await rowOf(page, `${project} deleted`).waitFor();
    await db.collection('apiKeys').doc(deleted).delete();
    await revoke(page, `${project} deleted`, 'x1Yz');
    await page.getByText(`${keyId(deleted)} no longer has a record`).waitFor();
    await expect.poll(() => rowOf(page, `${project} deleted`).count()).toBe(0);
  });

  test('can be sorted, copied, exported and opened in the log', async () => {
    const { page, email } = await openAsAdmin(area);
    const base = randomUUID();
    const project = `=${base} "B"`;
    const key = await storeKey(page, project, 'security@acme.example');
    await rowOf(page, project).waitFor();
    await seedRecord({
      project: `${base} A`,
      createdAt: new Date(0),
      active: false,
      revokedAt: new Date(1),
    });
    await page.reload();
    await page.getByRole('searchbox').fill(base);
    const projects = page.locator('tbody th');
    const inOrder = [`${project}security@acme.example`, `${base} A`];
    await expect.poll(() => projects.allTextContents()).toEqual(inOrder);
    expect(await rowOf(page, project).locator('td').nth(1).textContent()).toBe('active ');
    for (const order of ['Oldest first', 'Last revoked first']) {
      await page.getByLabel('Order').selectOption(order);
      expect(await projects.allTextContents(), order).toEqual(inOrder.toReversed());
    }
    await page.getByLabel('Order').selectOption('Newest first');

    const id = keyId(hashApiKey(key));
    const named = `the key of ${project}, ending in ${key.slice(-4)}`;
    await page.getByRole('button', { name: `More for ${named}` }).click();
    await page.getByRole('button', { name: `Copy id of ${named}` }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
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
    expect(lines[2]).toContain(
      `"${base} A","","x1Yz","revoked","1970-01-01T00:00:00.000Z","","1970-01-01T00:00:00.001Z",""`,
    );
  });

  test('reads only its newest page again, when the tab becomes visible', async () => {
    await area.context.clock.install();
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
    await page.clock.fastForward(16_000);
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    expect(queries).toHaveLength(4);
    for (const query of queries) expect(query).toMatchObject({ structuredQuery: { limit: 100 } });
  });

  test('shows a thousand keys in steps, and finds one', async () => {
    const thousand = Array.from({ length: 1_000 }, (_, i) => ({
      project: `Project ${i}`,
      active: i % 4 !== 0,
    }));
    await area.context.route(QUERY, respondWith(keysOf(thousand)));
    const { page } = await openAsAdmin(area);
    const rows = page.locator('tbody tr');
    await page.getByText('1000 of 1000 keys').waitFor();
    expect(await rows.count()).toBe(100);
    expect(await page.getByText('and still active').count()).toBe(0);
    const more = page.getByRole('button', { name: 'Show more keys' });
    await more.click();
    expect(await rows.count()).toBe(200);
    expect(await focused(page)).toMatch(/^tr Project 899/);
    for (let shown = 300; shown <= 1_000; shown += 100) await more.click();
    expect(await more.count()).toBe(0);
    expect(await focused(page)).toContain(`tr Project 99${'0'.repeat(12)}`);
    const layouts: Awaited<ReturnType<typeof layoutOf>>[] = [];
    for (const search of ['project 77', '']) {
      await page.getByRole('searchbox').fill(search);
      await page.getByText(search === '' ? '1000 of 1000 keys' : '11 of 1000 keys').waitFor();
      expect(await rows.count()).toBe(search === '' ? 100 : 11);
      expect(await focused(page)).toMatch(/^input/);
      for (const width of [1280, 1024]) {
        await page.setViewportSize({ width, height: 900 });
        layouts.push(await layoutOf(page));
      }
    }
    expect(layouts.slice(2).map(({ columns }) => columns)).toEqual(
      layouts.slice(0, 2).map(({ columns }) => columns),
    );
    for (const { columns, highestRow, timeLines, tabStopsOfRow } of layouts) {
      expect(columns).toHaveLength(1);
      expect(highestRow).toBeLessThan(60);
      expect(timeLines).toBe(1);
      expect(tabStopsOfRow).toBe(2);
    }
    await page.getByRole('searchbox').fill('project 77');
    await page.getByLabel('Active only').check();
    await page.getByText('9 of 1000 keys').waitFor();
    expect(await rows.filter({ hasText: 'Revoked' }).count()).toBe(0);
    await page.getByRole('searchbox').fill(hintOf(77));
    await page.getByText('1 of 1000 keys').waitFor();
  });
});
