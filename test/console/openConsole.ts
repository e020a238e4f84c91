// Serves the console, and opens a browser with a separate context for each test.

import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type ServedSite, serveConsole } from '../../tools/sandbox/hosting.ts';
import { hasChromium, launchBrowser } from '../site/browser.ts';
import { openContext } from './tab.ts';

export interface ConsoleServer {
  browser: Browser;
  site: ServedSite;
}

export interface Console extends ConsoleServer {
  context: BrowserContext;
}

/** Serves the console for the tests of a file. Concurrent tests open a context each. */
export function openServer(): ConsoleServer {
  const opened: Partial<ConsoleServer> = {};
  beforeAll(async () => {
    if (!hasChromium) return;
    [opened.browser, opened.site] = await Promise.all([launchBrowser(), serveConsole()]);
  });
  afterAll(async () => {
    await Promise.all([opened.browser?.close(), opened.site?.stop()]);
  });
  // The hook sets every field before a test reads it.
  return opened as ConsoleServer;
}

/** Opens the console for the tests of a file. After a failed test it prints the texts of the pages. */
export function openConsole(): Console {
  const opened: ConsoleServer & { context?: BrowserContext } = openServer();
  beforeEach(async () => {
    if (hasChromium) opened.context = await openContext(opened.browser);
  });
  afterEach(async ({ task }) => {
    const pages = task.result?.state === 'fail' ? (opened.context?.pages() ?? []) : [];
    const shown = await Promise.all(pages.map((page) => page.locator('body').innerText()));
    if (shown.length > 0) console.error(`The pages showed:\n${shown.join('\n----\n')}`);
    await opened.context?.close();
  });
  // The hooks set every field before a test reads it.
  return opened as Console;
}
