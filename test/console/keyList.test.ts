// The list of keys on the page "PoH API Keys".

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type KeyHash, keyId } from '../../records/apiKey.ts';
import { seedAdmin } from '../support/seed.ts';
import { documentOf, inDays, projectName, seedRecord, seedUse } from './adminArea.ts';
import { check, checkDark, focused, QUERY, shownTime, test, WIDTHS } from './tab.ts';

/** Contains letters that are not hex digits, so that no id contains it. */
const hintOf = (i: number): string => `h${i.toString(36).padStart(3, '0')}`;

const TIME = '2026-11-21T12:00:00.000000Z';
/** Firestore's response to a query for keys. */
const HUNDREDS = Array.from({ length: 300 }, (_, i) => ({
  readTime: TIME,
  document: {
    name: `projects/demo-poh/databases/(default)/documents/apiKeys/${i.toString(16).padStart(64, '0')}`,
    createTime: TIME,
    updateTime: TIME,
    fields: {
      project: { stringValue: `Project ${i}` },
      active: { booleanValue: i % 4 !== 0 },
      hint: { stringValue: hintOf(i) },
      createdAt: { timestampValue: new Date(Date.parse(TIME) + i).toISOString() },
      createdBy: { stringValue: 'ops@example.com' },
    },
  },
}));

const answerKeys = (page: Page, json: object) =>
  page.route(QUERY, (route) =>
    route.request().postData()?.includes('"apiKeys"') ? route.fulfill({ json }) : route.fallback(),
  );

/** The different widths of the list's columns, whether all rows are low, and the most lines of a time. */
const layoutOf = (page: Page) =>
  page.evaluate(() => {
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
    const widthsOf = (row: HTMLElement): string =>
      [...row.children].map((cell) => cell.getBoundingClientRect().width).join(' ');
    return {
      columns: [...new Set(all('.keys tr').map(widthsOf))],
      areRowsLow: all('tbody tr').every((row) => row.getBoundingClientRect().height < 80),
      timeLines: Math.max(...all('time').map((time) => time.getClientRects().length)),
    };
  });

test('a revocation says so if the key was changed meanwhile, and the list shows it', async ({
  admin,
}) => {
  const { page } = admin;
  const by = 'ops@example.com';
  for (const [change, message] of [
    [{ active: false }, /was already revoked by unknown/],
    [{ active: false, revokedAt: new Date(0), revokedBy: by }, /was already revoked on .* by ops@/],
    [{ active: 'x' }, /is unusable\. Its field “active” is neither/],
    [{ expiresAt: new Date(0) }, /has already ended, on/],
    [null, /has no record any more/],
  ] as const) {
    const project = projectName();
    const hash = await seedRecord({ project });
    // The list is also read again when its tab becomes visible.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    const row = admin.rowOf(project);
    await row.waitFor();
    const stored = documentOf(hash);
    await admin.revoke(project, undefined, () =>
      change ? stored.update(change) : stored.delete(),
    );
    const outcome = page.locator('.outcome', { hasText: `The key ${keyId(hash)}` });
    await outcome.filter({ hasText: message }).waitFor();
    await row.getByRole('button').first().waitFor({ state: 'detached' });
    expect(await row.count()).toBe(change ? 1 : 0);
  }
});

test('shows hundreds of keys, and finds one', async ({ admin: { page, readAgain, search } }) => {
  await answerKeys(page, HUNDREDS);
  await readAgain();
  for (const width of [1280, 1120]) {
    await page.setViewportSize({ width, height: 900 });
    const columns = new Set<string>();
    for (const [wanted, count] of [
      ['', '300 keys'],
      ['project 7', '11 of 300 keys match'],
    ] as const) {
      await search(wanted);
      await page.locator('[aria-live]').getByText(count, { exact: true }).waitFor();
      expect(await focused(page)).toMatch(/^input/);
      // A row that is not on the screen may get its columns a frame later.
      await expect.poll(async () => (await layoutOf(page)).columns).toHaveLength(1);
      const layout = await layoutOf(page);
      expect(layout).toMatchObject({ areRowsLow: true, timeLines: 1 });
      columns.add(layout.columns.join());
    }
    expect(columns.size).toBe(1);
  }
  await page.getByLabel('Show').selectOption('Active only');
  await page.getByText('9 of 300 keys').waitFor();
  const rows = page.locator('tbody tr');
  expect(await rows.count()).toBe(9);
  expect(await rows.filter({ hasText: 'Revoked' }).count()).toBe(0);
  await search(hintOf(77));
  await page.getByText('1 of 300 keys').waitFor();
});

test('says of each key what its record says, offers the actions that it allows, and is readable', async ({
  admin: { page, readAgain, search },
}) => {
  const project = projectName();
  const at = (days: number): Promise<string> => shownTime(page, inDays(days).getTime());
  const times = await Promise.all([-2, -1, 13.9, 14.1, 99].map(at));
  const [made, ended, soon, later, muchLater] = times;
  const ALL = 'Edit Rotate Revoke';
  const badEnd = 'Its field “expiresAt” is not a timestamp, so it does not work.';
  const colleague = { createdAt: inDays(-2), createdBy: 'uid-of-an-admin' };
  const limited = { modes: ['token', 'wallet'], expiresAt: inDays(14.1), readsPerSecond: 500 };
  const limits = `Lookups only by wallet or token, 500 reads a second, ends ${later}`;
  const fault = 'Its field “active” is neither true nor false, so it does not work.';
  const wrongReads = { expiresAt: inDays(99), readsPerSecond: '5' };
  const revoked = { active: false, revokedAt: inDays(-1), revokedBy: 'x@y.z', modes: ['token'] };
  const unnamed = { project: '0'.repeat(101), contact: project };
  const byHand = { contact: 'y'.repeat(100) };
  const badId = 'Its id is not a lower-case SHA-256, so it does not work.';
  /** The fields of each record, its state and author as shown, and its actions. */
  const rows: readonly (readonly [object, string, string, string])[] = [
    [{ expiresAt: inDays(13.9) }, `Active Ends soonAll lookups, ends ${soon}`, 'unknown', ALL],
    [colleague, 'Active All lookups', 'the-long-address.of-a-colleague@example.com', ALL],
    [{ createdBy: 'cli' }, 'Active All lookups', 'the command line', ALL],
    [limited, `Active ${limits}`, 'unknown', ALL],
    [
      { modes: ['phone'] },
      'Active Its field “modes” is not a list of modes, so it may look up nothing.',
      'unknown',
      ALL,
    ],
    [
      wrongReads,
      `Active All lookups, ends ${muchLater}Its field “readsPerSecond” is not a whole number above 0, so the deployment’s limit applies.`,
      'unknown',
      ALL,
    ],
    [unnamed, 'Active All lookups', 'unknown', 'Edit  Revoke'],
    [{ expiresAt: inDays(-1) }, `Ended All lookups, ended ${ended}`, 'unknown', ''],
    [{ expiresAt: '2099-01-01' }, `Unusable ${badEnd}`, 'unknown', ''],
    [revoked, `Revoked by x@y.z${ended}`, 'unknown', ''],
    [{ active: 'yes', createdBy: 'another uid' }, `Unusable ${fault}`, 'admin another uid', ''],
    [byHand, `Unusable ${badId}`, 'unknown', ''],
  ];
  await seedAdmin('uid-of-an-admin', true, {
    email: 'the-long-address.of-a-colleague@example.com',
  });
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
    const id = fields === byHand ? 'by-h…' : (hashes[i]?.slice(0, 12) ?? '');
    const row = shown.filter({ hasText: id });
    const [, , ...cells] = await row.locator('th, td').allTextContents();
    const created = `${fields === colleague ? made : 'Unknown'}by ${author}`;
    expect(cells).toEqual([state, created, actions]);
    const isActive = state.startsWith('Active');
    expect(await row.getAttribute('class')).toBe(isActive ? '' : 'muted');
    expect(await row.locator('.badge.good').count()).toBe(isActive ? 1 : 0);
  }
  await check(page, WIDTHS);
  await checkDark(page);
  await page.emulateMedia({ forcedColors: 'active' });
  const styleOf = (selector: string, property: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((of, name) => getComputedStyle(of).getPropertyValue(name), property);
  const background = 'background-color';
  expect(await styleOf('.primary', background)).not.toBe(await styleOf('.top button', background));
  expect(await styleOf('.badge', 'border-style')).toBe('solid');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.banner, button, select').filter({ visible: true }).count()).toBe(0);
  expect(await styleOf('tbody tr', 'content-visibility')).toBe('visible');
  await page.emulateMedia({ media: 'screen' });
  // The newest key is first. The others have no time of creation.
  expect(await shown.first().textContent()).toContain('a-colleague@example.com');
  await page.getByRole('button', { name: `Revoke the key of ${unnamed.project}` }).waitFor();
  await page.getByLabel('Show').selectOption('Active only');
  await expect.poll(() => shown.count()).toBe(7);
  const isFirst = (order: string, text: string) => {
    const first = shown.first().filter({ hasText: text });
    return page
      .getByLabel('Order')
      .selectOption(order)
      .then(() => first.waitFor());
  };
  await isFirst('Ends first', 'Ends soon');
  await isFirst('By project', unnamed.project);
  await page.getByLabel('Show').selectOption('Ends soon');
  await expect.poll(() => shown.count()).toBe(1);
  const [first = '', second = '' as KeyHash] = hashes;
  await page.getByLabel('Show').selectOption('Not used');
  await page.getByText('No key matches.').waitFor();
  await seedUse(first as KeyHash, { lookups: 9, refused: 0, lastUsedOn: '2026-11-27' });
  const isRevoked = rows.findIndex(([fields]) => fields === revoked);
  for (const unused of [second, hashes[isRevoked] as KeyHash])
    await seedUse(unused, { lookups: 0, refused: 0, lastUsedOn: undefined });
  await readAgain();
  await expect.poll(() => shown.count()).toBe(1);
  await shown
    .filter({ hasText: second.slice(0, 12) })
    .getByText('not used in 30 days')
    .waitFor();
  await page.getByText('Figures of use:').waitFor();
  await page.getByLabel('Show').selectOption('All keys');
  await isFirst('Least used first', 'not used in 30 days');
  // Of an id, the visible beginning finds its key, and nothing else.
  await search(first.slice(0, 12));
  await expect.poll(() => shown.count()).toBe(1);
  for (const hidden of [first.slice(1, 12), first.slice(20, 32)]) {
    await search(hidden);
    await page.getByText('No key matches.').waitFor();
  }
});

test('reads the list each minute while it is visible, and renders only rows that changed', async ({
  admin: { page, rowOf },
  traces,
}) => {
  const isQuery = (text: string): boolean => text.includes(':runQuery');
  await answerKeys(page, HUNDREDS);
  await page.clock.install();
  await page.reload();
  await rowOf(hintOf(299)).waitFor();
  await page.evaluate(`
    const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format');
    globalThis.formats = 0;
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
      get() { formats += 1; return get.call(this); },
    })`);
  const project = `Meanwhile ${randomUUID()}`;
  const [newest] = HUNDREDS.slice(-1);
  const changed = structuredClone(newest);
  if (changed) changed.document.fields.project.stringValue = project;
  const before = traces.filter(isQuery).length;
  await answerKeys(page, [...HUNDREDS.slice(0, -1), changed]);
  const see = async (state: string): Promise<void> => {
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })`,
    );
    await page.clock.fastForward(61_000);
  };
  await see('hidden');
  await see('visible');
  await rowOf(project).waitFor();
  expect(traces.filter(isQuery).length).toBe(before + 3);
  // One row, and the time of the figures.
  expect(await page.evaluate('formats')).toBeLessThan(10);
});

test('says when there is no key and no connection', async ({ admin: { page, rowOf } }) => {
  await page.route(QUERY, (route) => route.fulfill({ json: [] }));
  await page.reload();
  await page.getByText('There are no keys yet').waitFor();
  const guide = page.getByRole('link', { name: 'the guide' });
  expect(await guide.getAttribute('href')).toMatch(/:5002\/guide\.html$/);
  await check(page);
  await page.route(QUERY, (route) => route.abort());
  await page.reload();
  await page.getByRole('heading', { name: 'No connection to the database' }).waitFor();
  expect(await page.getByText('may be out of date').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  await page.unroute(QUERY);
  await page.getByRole('button', { name: 'Try again' }).click();
  // The button that had the focus is gone.
  await expect.poll(() => focused(page)).toBe('h1 PoH API Keys');

  // No key is shown before the names of the admins are known.
  const [project, uid] = [projectName(), randomUUID()];
  await seedRecord({ project, createdBy: uid });
  await seedAdmin(uid, true, { email: `${uid}@example.com` });
  await page.route(QUERY, (route) =>
    route.request().postData()?.includes('"admins"') ? route.abort() : route.fallback(),
  );
  await page.reload();
  await page.getByRole('heading', { name: 'No connection to the database' }).waitFor();
  await page.unroute(QUERY);
  await page.getByRole('button', { name: 'Try again' }).click();
  await rowOf(project).getByText(`by ${uid}@example.com`).waitFor();
});
