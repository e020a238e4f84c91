// The pictures of the documents. `npm run pictures` takes them of the pages with demonstration data, and writes the text
// of each beside it. Without that command, a test fails if a page no longer shows the text of its picture.

import { readFileSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { DEMONSTRATION as D } from '../../contract/examples.ts';
import { openEmulators, writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import type { Account } from '../support/client.ts';
import { test } from './tab.ts';

const { auth } = openEmulators();

/** So narrow that the pictures can be read on a phone. */
const WIDTH = 640;
const MARGIN = 24;

/** What differs each time: keys, tokens, times, the number of keys, and the day when a key was last used. */
const VARYING =
  /poh_\w+|[\da-f]+(-[\da-f]+){4}|\u2068.*?\u2069|^\d+(?= keys)|\d+ [A-Z][a-z]{2}\b/gm;

const linesOf = (text: string): readonly string[] => [
  ...new Set(text.replaceAll(VARYING, '…').split(/\s*\n\s*/)),
];

async function signedIn(email: string): Promise<Account> {
  await writeDemonstration();
  const { uid } = await auth.getUserByEmail(email);
  await auth.updateUser(uid, { emailVerified: true });
  return { uid, email, password: D.password };
}

/**
 * Takes a picture, or compares the page with the text of the picture.
 *
 * @param top what the picture begins with
 * @param end what it ends with
 */
async function picture(name: string, page: Page, top: Locator, end = top): Promise<void> {
  // On a narrow page, each cell shows its column's name as a label.
  const columns = await page.locator('thead th').allTextContents();
  const labels = await page
    .locator('td[data-label]')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-label')));
  expect(columns, 'columns').toEqual(expect.arrayContaining([...new Set(labels)]));
  const shown = `${columns.join(' | ')}\n${await page.locator('body').innerText()}`;
  const file = `docs/pictures/${name}`;
  if (process.env['PICTURES'] !== 'write') {
    const kept = readFileSync(`${file}.txt`, 'utf8').trim().split('\n');
    expect(kept.length).toBeGreaterThan(5);
    // Other tests add keys to the same list.
    const gone = kept.filter((line) => !linesOf(shown).includes(line));
    expect(gone, `${file}.png shows what the page does not. Run \`npm run pictures\``).toEqual([]);
    return;
  }
  const [first, last] = [await top.innerText(), await end.innerText()];
  const text = `${columns.join(' | ')}\n${shown.slice(shown.indexOf(first), shown.indexOf(last) + last.length)}`;
  writeFileSync(`${file}.txt`, `${linesOf(text).join('\n')}\n`);
  // No button looks as if it were under the pointer.
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
  const boxes = [page.locator('body'), top, end].map((shown) => shown.boundingBox());
  const [body, upper, lower] = await Promise.all(boxes);
  if (!body || !upper || !lower) throw new Error(`${name}: there is nothing to take a picture of`);
  const height = lower.y + lower.height + MARGIN - upper.y;
  const session = await page.context().newCDPSession(page);
  const clip = { x: 0, y: upper.y, width: body.width, height, scale: 2 };
  const taken = await session.send('Page.captureScreenshot', { clip, captureBeyondViewport: true });
  writeFileSync(`${file}.png`, Buffer.from(taken.data, 'base64'));
}

test('the admin area shows the texts of its pictures', async ({ open }) => {
  const page = await open('admin/', await signedIn(D.adminEmail));
  await page.setViewportSize({ width: WIDTH, height: 1000 });
  await page.getByText('Former DAO', { exact: true }).waitFor();
  await picture('api-keys', page, page.locator('.top'), page.getByRole('table'));
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Project', { exact: true }).fill('Commons Grants');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^token/i).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('group', { name: 'API key' }).waitFor();
  await picture('new-key', page, dialog);
});

test('the identity-proof area shows the texts of its picture', async ({ open }) => {
  const project = encodeURIComponent(D.project);
  const page = await open(`identity/?for=${project}`, await signedIn(D.email));
  await page.setViewportSize({ width: WIDTH, height: 1000 });
  await page.getByRole('button', { name: 'Generate Verification Token' }).click();
  await page.getByText('Your token is ready').waitFor();
  await picture('identity-proof', page, page.locator('.top'), page.getByRole('listitem').first());
});
