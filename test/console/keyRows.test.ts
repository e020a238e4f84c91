// The rows of the list of keys on the page "PoH API Keys".

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type KeyHash, keyId } from '../../records/apiKey.ts';
import { hasChromium } from '../site/browser.ts';
import { seedAdmin } from '../support/seed.ts';
import { openAsAdmin, projectName, randomHash, rowOf, seedRecord } from './adminArea.ts';
import { openConsole } from './openConsole.ts';
import { shownTime } from './tab.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const area = openConsole();

describe.skipIf(!hasChromium)('a row', () => {
  test('says of each key what its record says, and offers the actions that it allows', async () => {
    const project = projectName();
    const [old, young] = [randomHash(), randomHash()];
    const [ended, broken, longName] = [randomHash(), randomHash(), randomHash()];
    const [made, end] = [Date.now() - 2 * DAY_MS, Date.now() - DAY_MS];
    const createdAt = new Date(made);
    await Promise.all([
      seedAdmin('uid-of-an-admin', true, 'colleague@example.com'),
      seedRecord({ project, createdAt, createdBy: 'uid-of-an-admin' }, old),
      seedRecord(
        { project, createdAt: new Date(end), createdBy: 'cli', contact: 'a contact' },
        young,
      ),
      seedRecord({ project, active: false, revokedAt: new Date(end), revokedBy: 'x@y.z' }, ended),
      seedRecord({ project, active: 'yes', createdBy: 'another uid' }, broken),
      seedRecord({ project: 'x'.repeat(101), contact: project, hint: 7 }, longName),
    ]);
    const { page } = await openAsAdmin(area);
    await page.getByRole('searchbox').fill(project);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(5);
    const describeRow = async (of: KeyHash): Promise<string[]> => {
      const row = page.locator('tbody tr', {
        has: page.locator('td > code', { hasText: keyId(of) }),
      });
      const more = row.getByRole('button', { name: /^More/ });
      if ((await more.count()) === 1) await more.click();
      const actions = await row.getByRole('button').or(row.getByRole('link')).allTextContents();
      await page.keyboard.press('Escape');
      const cells = await row.locator('th, td').allTextContents();
      const badge = await row.locator('.badge').first().getAttribute('class');
      return [
        ...cells.slice(0, 4),
        actions.join(' '),
        `${await row.getAttribute('class')} ${badge}`,
      ];
    };
    const [atStart, atEnd] = [await shownTime(page, made), await shownTime(page, end)];
    const fault = 'Its field “active” is neither true nor false, so it does not work.';
    const all = 'More Copy id Lookups Rotate Revoke';
    const [good, pale] = [' badge good', 'muted badge'];
    const name = 'x'.repeat(101);
    const rows: readonly (readonly [KeyHash, string, string, string, string, string])[] = [
      [old, project, 'active ', `${atStart}by colleague@example.com`, all, good],
      [young, `${project}a contact`, 'active ', `${atEnd}by the command line`, all, good],
      [
        ended,
        project,
        `revoked by x@y.z${atEnd}`,
        'Unknownby unknown',
        'More Copy id Lookups',
        pale,
      ],
      [broken, project, `not usable ${fault}`, 'Unknownby admin another uid', '', pale],
      [longName, name + project, 'active ', 'Unknownby unknown', all.replace(' Rotate', ''), good],
    ];
    for (const [of, first, ...others] of rows) {
      const key = of === longName ? keyId(of) : `${keyId(of)}ends in x1Yz`;
      expect(await describeRow(of)).toEqual([first, key, ...others]);
    }
    const named = { name: `More for the key of ${name}, ${keyId(longName)}`, exact: true };
    await page.getByRole('button', named).waitFor();
  });

  test('shows invalid records without actions, and is searched by the visible beginning of an id', async () => {
    const [project, id] = [projectName(), randomHash()];
    const badId = `by-hand-${randomUUID()}`;
    await Promise.all([
      seedRecord({ project, active: 'yes' }, id),
      seedRecord({ project, active: false }),
      seedRecord({ project }, badId),
    ]);
    const { page } = await openAsAdmin(area);
    await page.getByRole('searchbox').fill(project);
    await rowOf(page, 'neither true nor false').getByText('Not usable').waitFor();
    await rowOf(page, badId).getByText('Not usable').waitFor();
    expect(await rowOf(page, project).getByText('revoked', { exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /^(Rotate|Revoke)/ }).count()).toBe(0);
    await page.getByRole('searchbox').fill(id.slice(0, 12));
    await rowOf(page, project).waitFor();
    for (const hidden of [id.slice(1, 12), id.slice(20, 32)]) {
      await page.getByRole('searchbox').fill(hidden);
      await page.getByText('No key matches.').waitFor();
    }
  });
});
