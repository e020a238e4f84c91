// The list of keys on the page "PoH API Keys".

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
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
import { focused, QUERY, storeKey } from './tab.ts';

const { db } = openEmulators();
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
    return {
      columns: [...new Set(all('.keys tr').map(widthsOf))],
      highestRow: Math.max(...rows.map((row) => row.getBoundingClientRect().height)),
      timeLines: Math.max(...all('time').map((time) => time.getClientRects().length)),
      tabStopsOfRow: Math.max(...rows.map(tabStops)),
    };
  });

describe.skipIf(!hasChromium)('the list', () => {
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

  test('links to the last lookups with a key, as does the dialog for revoking it', async () => {
    const { page } = await openAsAdmin(area);
    const project = projectName();
    const key = await storeKey(page, project);
    const row = rowOf(page, project);
    const named = `the key of ${project}, ending in ${key.slice(-4)}`;
    await row.getByRole('button', { name: `Revoke ${named}` }).click();
    for (const link of [
      row.getByRole('link', { name: `Last lookups with ${named}, in Google Cloud` }),
      page.getByRole('dialog').getByRole('link', { name: 'its last lookups in Google Cloud' }),
    ]) {
      const address = new URL((await link.getAttribute('href')) ?? '');
      expect(decodeURIComponent(address.href)).toContain(
        `jsonPayload.message="lookup"\njsonPayload.keyId="${keyId(hashApiKey(key))}"`,
      );
      expect(address.searchParams.get('project')).toBe('demo-poh');
    }
  });

  test('is read again when the tab becomes visible, and not when it is hidden', async () => {
    const { page, sent } = await openAsAdmin(area);
    const project = projectName();
    await seedRecord({ project });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await rowOf(page, project).getByText('Active').waitFor();
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    const count = sent.length;
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    expect(sent).toHaveLength(count);
  });

  test('shows hundreds of keys, and finds one', async () => {
    const hundreds = Array.from({ length: 300 }, (_, i) => ({
      project: `Project ${i}`,
      active: i % 4 !== 0,
    }));
    await area.context.route(QUERY, respondWith(keysOf(hundreds)));
    const { page } = await openAsAdmin(area);
    const rows = page.locator('tbody tr');
    await page.getByText('300 keys', { exact: true }).waitFor();
    expect(await rows.count()).toBe(300);
    const layouts: Awaited<ReturnType<typeof layoutOf>>[] = [];
    for (const search of ['project 7', '']) {
      await page.getByRole('searchbox').fill(search);
      await page.getByText(search === '' ? '300 keys' : '11 of 300 keys match').waitFor();
      expect(await rows.count()).toBe(search === '' ? 300 : 11);
      expect(await focused(page)).toMatch(/^input/);
      for (const width of [1280, 1120]) {
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
      expect(tabStopsOfRow).toBe(3);
    }
    await page.getByRole('searchbox').fill('project 7');
    await page.getByLabel('Active only').check();
    await page.getByText('9 of 300 keys').waitFor();
    expect(await rows.filter({ hasText: 'Revoked' }).count()).toBe(0);
    await page.getByRole('searchbox').fill(hintOf(77));
    await page.getByText('1 of 300 keys').waitFor();
  });
});
