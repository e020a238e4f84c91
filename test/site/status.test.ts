// Tests the page "Status" in a real browser, which reads the emulated Firestore as everybody may.

import { expect, onTestFinished, test } from 'vitest';
import { buildSite } from '../../site/build.ts';
import { serveSite } from '../../tools/sandbox/hosting.ts';
import { openOwnProject } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { hasChromium, launchBrowser, openContext, openPage } from './browser.ts';

const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 60 * 60 * 1000);
const state = {
  asOf: hoursAgo(0.5),
  newestSyncedAt: hoursAgo(3.5),
  auditedAt: hoursAgo(20.5),
  findings: 0,
};

const GOOD = [
  'Nothing is known to be wrong with the mirror.',
  'Newest attestation in the mirror',
  '# UTC, 3 hours ago',
  'Last comparison with the chain',
  '# UTC, 20 hours ago',
  'Differences that it found',
  '0',
  'This was written',
  '# UTC, less than an hour ago',
];
const CASES: readonly (readonly [title: string, object, readonly string[], string])[] = [
  ['a good state', state, [], 'stopped'],
  ['a notice', { ...state, notice: '<b>Late</b> today.' }, ['<b>Late</b> today.'], 'empty'],
  [
    'a mirror that has stopped',
    { ...state, newestSyncedAt: hoursAgo(73) },
    ['has stopped', '73 hours ago'],
    'Nothing',
  ],
  [
    'a mirror that differs from the chain',
    { ...state, auditedAt: hoursAgo(200.5), findings: 2 },
    ['found differences', '2', '8 days ago'],
    'Nothing',
  ],
  [
    'an empty mirror',
    { asOf: state.asOf },
    ['is empty', 'do not act on their answers', 'none'],
    'Nothing',
  ],
  [
    'a state of 3 hours ago',
    { ...state, asOf: hoursAgo(3) },
    ['out of date', '3 hours ago'],
    'Nothing',
  ],
  ['no state', {}, ['cannot be read at present. Load this page again'], 'Nothing'],
];

test.skipIf(!hasChromium)('the page says in words what the stored state means', async () => {
  const folder = temporaryFolder();
  await buildSite(folder, { local: true });
  const served = await serveSite(0, folder);
  onTestFinished(served.stop);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const context = await openContext(browser);
  // Other tests write the demonstration's state meanwhile.
  const { project, db } = openOwnProject();
  await context.route('**/projects/demo-poh/**', (route) =>
    route.continue({ url: route.request().url().replace('demo-poh', project) }),
  );
  const record = db.doc('status/mirror');
  for (const [title, stored, shown, hidden] of CASES) {
    await record.set(stored);
    const { page, faults } = await openPage(context, `${served.url}status.html`);
    await page.locator('#mirror', { hasNotText: 'JavaScript' }).waitFor();
    const text = await page.locator('#mirror').innerText();
    for (const words of shown) expect(text, title).toContain(words);
    expect(text, title).not.toContain(hidden);
    if (stored === state)
      expect(text.replaceAll(/\d{4}-\S+ [\d:]+/g, '#').split(/\s*[\n\t]\s*/)).toEqual(GOOD);
    const isGood = text.includes('Nothing is known to be wrong');
    expect(await page.locator('#mirror .good').count(), title).toBe(Number(isGood));
    expect(faults, title).toEqual([]);
  }
});
