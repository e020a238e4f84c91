// One walk through the journeys of both pages and of the site, in three browser engines. It measures the layout in each
// state: no dialog is higher than its content, nothing scrolls sideways, and no state moves the header or the page.

import { afterAll, beforeAll, type ExpectStatic, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { buildSite } from '../../site/build.ts';
import { type ServedSite, serveConsole, serveSite } from '../../tools/sandbox/hosting.ts';
import { projectName } from '../console/adminArea.ts';
import { makeAdmin } from '../console/tab.ts';
import { SIDEWAYS_SCROLL } from '../site/browser.ts';
import { type Account, makeAccount } from '../support/client.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { seedKey, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ENGINES, KEYS, type Tab } from './engines.ts';

/** The last one is the window's during the walk. */
const WIDTHS = [320, 1280];

/** How far the page scrolls sideways, the space below a dialog's last button, and where the header and the content begin. */
const LAYOUT = `[
  ${SIDEWAYS_SCROLL},
  Math.max(0, ...[...document.querySelectorAll('dialog')].map((dialog) =>
    dialog.getBoundingClientRect().bottom -
      [...dialog.querySelectorAll('button')].at(-1).getBoundingClientRect().bottom)),
  ['header a', 'main'].map((part) => document.querySelector(part).getBoundingClientRect().x),
  // All pages of a site have their header in the same place, and each page its content.
  [location.host, location.host + location.pathname],
]`;
const DIALOG_PADDING = 26;

/** Where the first visible element of the topmost dialog or the page is that has this name. */
const centreOf = (name: RegExp): string => `(() => {
  // A browser closes a dialog on the second Escape, and the page shows it again.
  if (document.querySelector('dialog:not(:modal)')) return null;
  const within = document.querySelector('dialog') ?? document;
  const found = [...within.querySelectorAll('a, button, summary, label, input')].find((each) =>
    each.checkVisibility() && ${name}.test((each.ariaLabel ?? each.textContent).trim()));
  found?.scrollIntoView({ block: 'center', behavior: 'instant' });
  const box = found?.getBoundingClientRect();
  return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
})()`;

/** What a user does in a tab, and sees. @param expect that of the test, because three run at the same time */
function userOf(tab: Tab, expect: ExpectStatic) {
  const text = () => tab.evaluate('document.body.textContent');
  const shows = (part: string) => expect.poll(text).toContain(part);
  const textOf = (selector: string) =>
    tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);
  /** Where the header of each site and the content of each page begin, by width. */
  const begins = new Map<string, number>();

  async function look(state: string): Promise<void> {
    for (const width of WIDTHS) {
      const resized = async (): Promise<unknown> => {
        await tab.resize(width);
        return await tab.evaluate('innerWidth');
      };
      // WebKit may resize its window after it has said so.
      await expect.poll(resized, { message: state }).toBe(width);
      const layout = (await tab.evaluate(LAYOUT)) as [number, number, number[], string[]];
      const [sideways, space, shown, places] = layout;
      expect(sideways, `${state} scrolls sideways at ${width}`).toBe(0);
      expect(space, `${state} has a dialog that is too high at ${width}`).toBeLessThan(
        DIALOG_PADDING,
      );
      for (const [i, place] of places.entries()) {
        const name = `${place} at ${width}`;
        const begin = begins.get(name) ?? shown[i] ?? NaN;
        expect(shown[i], `${state} moves ${name}`).toBe(begin);
        begins.set(name, begin);
      }
    }
  }

  async function click(name: RegExp): Promise<void> {
    let centre: unknown;
    // A page that has just changed may still scroll to what it has to say.
    const isStill = async () => {
      const before = centre;
      centre = await tab.evaluate(centreOf(name));
      return centre !== null && String(centre) === String(before);
    };
    await expect.poll(isStill, { message: `nothing is named ${name}` }).toBe(true);
    await tab.click(...(centre as [number, number]));
  }

  async function fill(name: RegExp, typed: string): Promise<void> {
    await click(name);
    await tab.type(typed);
  }

  async function signIn(url: string, { email, password }: Account): Promise<void> {
    await tab.goTo(url);
    await shows('E-mail address');
    await look('the sign-in');
    await fill(/^E-mail address/, email);
    await fill(/^Password/, password);
    await tab.type(KEYS.Enter);
    await shows('Sign out');
  }

  /** Copies what an element shows. An engine may refuse it, and the page then selects the text. @returns whether it is copied */
  async function copy(name: RegExp, selector: string): Promise<boolean> {
    const wanted = await textOf(selector);
    await click(name);
    await expect.poll(text).toMatch(/Copied|The text is selected/);
    const isCopied = String(await text()).includes('Copied');
    if (!isCopied) expect(await tab.evaluate('String(getSelection())')).toBe(wanted);
    return isCopied;
  }

  /** Navigates once the call has returned, because a page that is left may not answer any more. */
  async function leave(script: string): Promise<void> {
    // WebKit forgets to go back from a page that is still loading.
    await expect.poll(() => tab.evaluate('document.readyState')).toBe('complete');
    await tab.evaluate(`void setTimeout(() => ${script})`);
  }

  const hasFocus = (part: string) =>
    expect.poll(() => tab.evaluate('document.activeElement.textContent')).toBe(part);
  const hasNoDialog = () =>
    expect.poll(() => tab.evaluate('document.querySelector("dialog")')).toBe(null);

  return { ...tab, hasFocus, hasNoDialog, leave, shows, textOf, look, click, fill, signIn, copy };
}

let console_: ServedSite;
let site: ServedSite;

beforeAll(async () => {
  const folder = temporaryFolder();
  await buildSite(folder, { local: true });
  [console_, site] = await Promise.all([serveConsole(), serveSite(0, folder)]);
});
afterAll(() => Promise.all([console_.stop(), site.stop()]));

const KEY = '[aria-label="API key"] code';
const answerTo = (key: string, target: string) => send(servedUrl, { key, target });

for (const [name, isInstalled, launch] of ENGINES) {
  if (!isInstalled) console.warn(`\n*** ${name} IS NOT TESTED, because it is not installed. ***\n`);

  test
    .skipIf(!isInstalled)
    .concurrent(`the pages and the site work in ${name}`, async ({ expect, onTestFinished }) => {
      const engine = await launch();
      onTestFinished(() => engine.close() as Promise<void>);
      const tab = userOf(await engine.openTab(), expect);
      const [admin, wallet] = [await makeAdmin(), await seedWallet({ attestationType: 0 })];
      const area = `${console_.url}admin/`;
      const project = projectName();

      // A key is created, and the dialog is lost before anybody has copied it.
      await tab.signIn(area, admin);
      await tab.click(/^Create key$/);
      await tab.look('the form of a key');
      await tab.fill(/^Project$/, project);
      await tab.click(/^wallet/i);
      await tab.click(/^Create key$/);
      await tab.shows('The new key of');
      await tab.look('a new key');
      const first = String(await tab.textOf(KEY));
      await tab.type(KEYS.Escape + KEYS.Escape);
      await tab.click(/^I have stored it$/);
      await tab.shows('You have not copied the key.');
      await tab.click(/^Close without the key$/);
      await tab.hasNoDialog();
      expect(await answerTo(first, `?wallet=${wallet}`)).toMatchObject({ status: 200 });

      // The project gets another one instead.
      await tab.click(/^Create key$/);
      await tab.fill(/^Project$/, project);
      await tab.click(/^Rotate it instead$/);
      await tab.shows('Rotate the key of');
      await tab.look('a rotation');
      await tab.click(/^Create key$/);
      await tab.shows('The new key of');
      const second = String(await tab.textOf(KEY));
      const isCopied = await tab.copy(/^Copy$/, KEY);
      await tab.click(/^I have stored it$/);
      if (!isCopied) await tab.click(/^Close without the key$/);
      await tab.hasNoDialog();
      await tab.fill(/^Search$/, keyId(hashApiKey(first)));
      await tab.shows(`replaced by ${keyId(hashApiKey(second))}`);
      await tab.look('the list');
      await tab.click(/^Revoke the key of/);
      await tab.look('a revocation');
      await tab.fill(/^Type the last four/, first.slice(-4));
      await tab.click(/^Revoke key$/);
      await tab.shows('is revoked.');
      for (const [key, status] of [
        [first, 401],
        [second, 200],
      ] as const)
        expect(await answerTo(key, `?wallet=${wallet}`)).toMatchObject({ status });

      // Away and back, and then signed out by another tab.
      await tab.leave('location.assign("/")');
      await tab.shows('manage API keys');
      await tab.look('the start');
      await tab.leave('history.back()');
      await tab.shows('Create key');
      const other = userOf(await engine.openTab(), expect);
      await other.goTo(area);
      const kept = await tab.evaluate('JSON.stringify({ ...sessionStorage })');
      await other.evaluate(`void Object.assign(sessionStorage, ${kept})`);
      await other.goTo(area);
      // Some engines do not show it, and a hidden page does not read the list.
      await other.shows('Sign out');
      await other.evaluate('document.querySelector("header button").click()');
      await tab.shows('You signed out in another tab.');
      await tab.leave('history.forward()');
      await tab.shows('manage API keys');
      await tab.leave('history.back()');
      await tab.shows('E-mail address');
      expect(await tab.evaluate('document.body.textContent')).not.toContain(project);

      // A token from its birth to its revocation.
      await tab.signIn(`${console_.url}identity/?for=Test%20DAO`, await makeAccount({ wallet }));
      await tab.look('the identity page');
      await tab.click(/^Generate Verification Token$/);
      await tab.shows('Your token is ready.');
      const token = await tab.textOf('li code');
      const lookUp = async () => answerTo(await seedKey(), `?token=${token}`);
      expect(await lookUp()).toMatchObject({ status: 200 });
      await tab.copy(/^Copy the token/, 'li code');
      await tab.look('a new token');
      await tab.click(/^Revoke the token/);
      await tab.look('the revocation of a token');
      await tab.click(/^Revoke token$/);
      await tab.hasFocus('The token is revoked.');
      expect(await lookUp()).toMatchObject({ status: 404 });
      await tab.click(/^Sign out$/);
      await tab.shows('E-mail address');

      await tab.goTo(site.url);
      await tab.look('the site');
      await tab.type('/revoke a key');
      await expect.poll(() => tab.evaluate('document.querySelector("search a")')).not.toBe(null);
      await tab.look('the results of a search');
      await tab.type(KEYS.ArrowDown + KEYS.Enter);
      // Before that, the page may have no styles yet.
      const loaded = () => tab.evaluate('document.readyState === "complete" && location.href');
      await expect.poll(loaded).toContain('guide.html#handle-keys');
      await tab.look('the guide');

      await engine.blockStorage();
      const blocked = userOf(await engine.openTab(), expect);
      await blocked.goTo(area);
      await blocked.shows('Your browser blocks this page’s storage');
    });
}
