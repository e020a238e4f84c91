// Opens pages in headless Chromium and records their faults.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The headless shell opens a page in a third of the time, because it does not render a window. */
const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

export const hasChromium = CHROMIUM !== undefined;

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** At this width nothing may scroll sideways (WCAG 2.2, 1.4.10). */
export const NARROW = { width: 320, height: 568 };

/** A host name that browsers treat as remote, and that resolves to this machine. */
export const REMOTE_HOST = 'poh.example';

export function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Chromium is not installed');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Without these, Chromium starts one process for graphics and a spare one for each context, which
      // takes a third of the tests' CPU.
      '--in-process-gpu',
      '--disable-site-isolation-trials',
      // Pages of a context share a process, in which a script that another page has run is compiled already.
      '--renderer-process-limit=1',
      // Pages are open too briefly for optimized code to pay for its compilation.
      '--js-flags=--max-opt=1',
      `--host-resolver-rules=MAP ${REMOTE_HOST} 127.0.0.1`,
    ],
  });
}

/** Opens a context whose process lasts until the context is closed, because its first page stays open. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  // A colour in transition would be measured as it is for a moment only.
  const reducedMotion = 'reduce';
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion, ...options });
  await context.newPage();
  return context;
}

/**
 * Opens a page until the test ends.
 *
 * @returns the page, its compressed size, and the list to which each console error is added, such as one about a foreign
 *   request, which the policy forbids
 */
export async function openPage(context: BrowserContext, url: string, viewport = DESKTOP) {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  await page.setViewportSize(viewport);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  const finished: Request[] = [];
  page.on('requestfinished', (request) => finished.push(request));
  await page.goto(url);
  const sizes = await Promise.all(finished.map((request) => request.sizes()));
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  return { page, bytes, faults };
}

/** How far the page can be scrolled sideways, or a dialog leaves the screen, in pixels. */
export const SIDEWAYS_SCROLL = `Math.max(0,
  document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ...[...document.querySelectorAll('dialog')]
    .map((dialog) => dialog.getBoundingClientRect().right - innerWidth))`;
export const sidewaysScroll = (page: Page): Promise<number> => page.evaluate(SIDEWAYS_SCROLL);

/** The minified file loads into a page in half the time. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * @param rules the ids of axe's rules; the default is all
 * @returns axe's findings on the current state of the page
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  return await page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`);
}
