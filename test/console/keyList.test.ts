// The list of keys on the page "PoH API Keys".

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type KeyHash, keyId } from '../../records/apiKey.ts';
import { seedAdmin } from '../support/seed.ts';
import { documentOf, hintOf, inDays, projectName, respondWith, seedRecord } from './adminArea.ts';
import { focused, QUERY, shownTime, test } from './tab.ts';

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

test('a revocation says so if the key was changed meanwhile, and the list shows it', async ({
  admin,
}) => {
  const by = 'ops@example.com';
  for (const [change, message] of [
    [{ active: false }, /was already revoked by unknown/],
    [{ active: false, revokedAt: new Date(0), revokedBy: by }, /was already revoked on .* by ops@/],
    [{ active: 'x' }, /does not work, because/],
    [null, /no usable record/],
  ] as const) {
    const project = projectName();
    const hash = await seedRecord({ project });
    await admin.readAgain();
    const row = admin.rowOf(project);
    await row.waitFor();
    if (change) await documentOf(hash).update(change);
    else await documentOf(hash).delete();
    await admin.revoke(project);
    const status = admin.page.getByRole('status').filter({ hasText: `The key ${keyId(hash)}` });
    await status.filter({ hasText: message }).waitFor();
    await row.getByRole('button').first().waitFor({ state: 'detached' });
    expect(await row.count()).toBe(change ? 1 : 0);
  }
});

test('is read again when the tab becomes visible, and not when it is hidden', async ({ admin }) => {
  const { page, sent, rowOf } = admin;
  const project = projectName();
  await seedRecord({ project });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await rowOf(project).getByText('Active').waitFor();
  await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
  const count = sent.length;
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  expect(sent).toHaveLength(count);
});

test('shows hundreds of keys, and finds one', async ({ admin }) => {
  const { page, search } = admin;
  const hundreds = Array.from({ length: 300 }, (_, i) => ({
    project: `Project ${i}`,
    active: i % 4 !== 0,
  }));
  await page.route(QUERY, respondWith(hundreds));
  await admin.readAgain();
  const rows = page.locator('tbody tr');
  await page.getByText('300 keys', { exact: true }).waitFor();
  expect(await rows.count()).toBe(300);
  const layouts: Awaited<ReturnType<typeof layoutOf>>[] = [];
  for (const wanted of ['project 7', '']) {
    await search(wanted);
    await page.getByText(wanted === '' ? '300 keys' : '11 of 300 keys match').waitFor();
    expect(await rows.count()).toBe(wanted === '' ? 300 : 11);
    expect(await focused(page)).toMatch(/^input/);
    for (const width of [1280, 1120]) {
      await page.setViewportSize({ width, height: 900 });
      // A row that is not on the screen may get its columns a frame later.
      await expect.poll(async () => (await layoutOf(page)).columns).toHaveLength(1);
      layouts.push(await layoutOf(page));
    }
  }
  expect(layouts.slice(2).map(({ columns }) => columns)).toEqual(
    layouts.slice(0, 2).map(({ columns }) => columns),
  );
  for (const { highestRow, timeLines, tabStopsOfRow } of layouts) {
    expect(highestRow).toBeLessThan(60);
    expect(timeLines).toBe(1);
    expect(tabStopsOfRow).toBe(3);
  }
  await search('project 7');
  await page.getByLabel('Active only').check();
  await page.getByText('9 of 300 keys').waitFor();
  expect(await rows.filter({ hasText: 'Revoked' }).count()).toBe(0);
  await search(hintOf(77));
  await page.getByText('1 of 300 keys').waitFor();
});

test('says of each key what its record says, and offers the actions that it allows', async ({
  admin: { page, readAgain, search },
}) => {
  const project = projectName();
  const at = (days: number): Promise<string> => shownTime(page, inDays(days).getTime());
  const [made, ended, soon, later] = await Promise.all([-2, -1, 13.9, 14.1].map(at));
  const colleague = { createdAt: inDays(-2), createdBy: 'uid-of-an-admin' };
  const limited = { modes: ['token', 'wallet'], expiresAt: inDays(14.1), readsPerSecond: 500 };
  const limits = `Lookups only by wallet or token. 500 reads a second. Ends ${later}`;
  const fault = 'Its field “active” is neither true nor false, so it does not work.';
  const revoked = { active: false, revokedAt: inDays(-1), revokedBy: 'x@y.z', modes: ['token'] };
  const unnamed = { project: 'x'.repeat(101), contact: project };
  const byHand = {};
  const badId = 'Its id is not a lower-case SHA-256, so it does not work.';
  /** The fields of each record, its state and author as shown, and its actions. */
  const rows: readonly (readonly [object, string, string, string])[] = [
    [{ expiresAt: inDays(13.9) }, `active Ends soonEnds ${soon}`, 'unknown', 'Rotate Revoke'],
    [colleague, 'active ', 'colleague@example.com', 'Rotate Revoke'],
    [{ createdBy: 'cli' }, 'active ', 'the command line', 'Rotate Revoke'],
    [limited, `active ${limits}`, 'unknown', 'Rotate Revoke'],
    [
      { modes: ['phone'] },
      'active No lookups, because its field “modes” is not valid',
      'unknown',
      'Rotate Revoke',
    ],
    [unnamed, 'active ', 'unknown', ' Revoke'],
    [{ expiresAt: inDays(-1) }, `ended Ended ${ended}`, 'unknown', ' Revoke'],
    [revoked, `revoked by x@y.z${ended}`, 'unknown', ''],
    [{ active: 'yes', createdBy: 'another uid' }, `not usable ${fault}`, 'admin another uid', ''],
    [byHand, `not usable ${badId}`, 'unknown', ''],
  ];
  await seedAdmin('uid-of-an-admin', true, { email: 'colleague@example.com' });
  const badHash = `by-hand-${randomUUID()}` as KeyHash;
  const hashes = await Promise.all(
    rows.map(([fields]) =>
      seedRecord({ project, ...fields }, fields === byHand ? badHash : undefined),
    ),
  );
  await readAgain();
  await search(project);
  const shown = page.locator('tbody tr');
  await expect.poll(() => shown.count()).toBe(rows.length);
  for (const [i, [fields, state, author, actions]] of rows.entries()) {
    const row = shown.filter({ hasText: hashes[i]?.slice(0, 12) ?? '' });
    const [, , ...cells] = await row.locator('th, td').allTextContents();
    const created = `${fields === colleague ? made : 'Unknown'}by ${author}`;
    expect(cells).toEqual([state, created, actions]);
    const isActive = state.startsWith('active');
    expect(await row.getAttribute('class')).toBe(isActive ? '' : 'muted');
    expect(await row.locator('.badge.good').count()).toBe(isActive ? 1 : 0);
    expect(await row.getByRole('link', { name: /^Last lookups/ }).count()).toBe(
      state.startsWith('not usable') ? 0 : 1,
    );
  }
  // The newest key is first. The others have no time of creation.
  expect(await shown.first().textContent()).toContain('colleague@example.com');
  await page.getByRole('button', { name: `Revoke the key of ${unnamed.project}` }).waitFor();
  await page.getByLabel('Active only').check();
  await expect.poll(() => shown.count()).toBe(6);
  // Of an id, the visible beginning finds its key, and nothing else.
  const [first = ''] = hashes;
  await search(first.slice(0, 12));
  await expect.poll(() => shown.count()).toBe(1);
  for (const hidden of [first.slice(1, 12), first.slice(20, 32)]) {
    await search(hidden);
    await page.getByText('No key matches.').waitFor();
  }
});
