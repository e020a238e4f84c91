// The rows of the list of keys on the page "PoH API Keys".

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyId } from '../../records/apiKey.ts';
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
    const now = Date.now();
    const inDays = (days: number): Date => new Date(now + days * DAY_MS);
    const { page } = await openAsAdmin(area);
    const at = (days: number): Promise<string> => shownTime(page, inDays(days).getTime());
    const [made, ended, soon, later] = await Promise.all([-2, -1, 13.9, 14.1].map(at));
    const colleague = { createdAt: inDays(-2), createdBy: 'uid-of-an-admin' };
    const limited = { modes: ['token', 'wallet'], expiresAt: inDays(14.1), readsPerSecond: 500 };
    const limits = `Lookups only by wallet or token. 500 reads a second. Ends ${later}`;
    const fault = 'Its field “active” is neither true nor false, so it does not work.';
    const revoked = { active: false, revokedAt: inDays(-1), revokedBy: 'x@y.z', modes: ['token'] };
    const unnamed = { project: 'x'.repeat(101), contact: project };
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
    ];
    const hashes = rows.map(randomHash);
    await Promise.all([
      seedAdmin('uid-of-an-admin', true, 'colleague@example.com'),
      ...rows.map(([fields], i) => seedRecord({ project, ...fields }, hashes[i])),
    ]);
    await page.reload();
    await page.getByRole('searchbox').fill(project);
    const shown = page.locator('tbody tr');
    await expect.poll(() => shown.count()).toBe(rows.length);
    for (const [i, [fields, state, author, actions]] of rows.entries()) {
      const row = shown.filter({ hasText: keyId(hashes[i] ?? randomHash()) });
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
    // The key that ends soon is first, whatever its time of creation.
    expect(await shown.first().textContent()).toContain('Ends soon');
    await page.getByRole('button', { name: `Revoke the key of ${unnamed.project}` }).waitFor();
    await page.getByLabel('Active only').check();
    await expect.poll(() => shown.count()).toBe(6);
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
