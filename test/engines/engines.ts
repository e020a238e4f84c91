// Browsers with three engines, behind the little that a walk through the pages needs. Chromium is driven by Playwright,
// which cannot drive Debian's Firefox (that speaks WebDriver BiDi) and has its own build of WebKit (Debian's speaks
// WebDriver).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../tools/sandbox/freePort.ts';
import { hasChromium, launchBrowser } from '../site/browser.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** The keys that are no text, as WebDriver writes them. */
export const KEYS = { Escape: '\uE00C', Enter: '\uE007', ArrowDown: '\uE015' } as const;

export interface Tab {
  readonly goTo: (url: string) => Promise<unknown>;
  /** @param script an expression @returns its value, which is JSON */
  readonly evaluate: (script: string) => Promise<unknown>;
  readonly click: (x: number, y: number) => Promise<unknown>;
  /** Presses the key of each character. */
  readonly type: (text: string) => Promise<unknown>;
  readonly resize: (width: number) => Promise<unknown>;
}

export interface Engine {
  readonly openTab: () => Promise<Tab>;
  /** From now on, it stores nothing for pages in new tabs. */
  readonly blockStorage: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** Debian's names, and Firefox's elsewhere. */
const [FIREFOX] = globSync('/usr/bin/firefox{-esr,}');
const [MINI_BROWSER, XVFB, WEBKIT_DRIVER] = [
  '/usr/lib/*/webkit2gtk-4.*/MiniBrowser',
  '/usr/bin/Xvfb',
  '/usr/bin/WebKitWebDriver',
].map((pattern) => globSync(pattern)[0]);

const HEIGHT = 800;

/** One click and one text, as the actions of WebDriver and of WebDriver BiDi. */
const clickAt = (x: number, y: number) => [
  {
    type: 'pointer',
    id: 'mouse',
    actions: [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ],
  },
];
const keysOf = (text: string) => [
  {
    type: 'key',
    id: 'keyboard',
    actions: [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value }))),
  },
];

/** Starts a program. */
function start(command: string | undefined, args: readonly string[], env: object = {}) {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(command ?? '', args, { stdio: [...stdio], env: { ...process.env, ...env } });
  const ended = once(child, 'close');
  // What nobody reads must not block the program.
  for (const output of [child.stdout, child.stderr]) output.resume();
  return {
    /** @returns the first group of the first match in what it prints */
    printed: (sign: RegExp) =>
      new Promise<string>((resolve, reject) => {
        let text = '';
        const read = (chunk: Buffer): void => {
          text += chunk;
          const [, group] = sign.exec(text) ?? [];
          if (group !== undefined) resolve(group);
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        ended.then(() => reject(new Error(`${command} has ended: ${text}`)), reject);
      }),
    async stop(): Promise<void> {
      child.kill();
      await ended;
    },
  };
}

async function launchChromium(): Promise<Engine> {
  const browser = await launchBrowser();
  const context = await browser.newContext({ permissions: ['clipboard-write'] });
  // Playwright has no setting for it.
  const blocked = `Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('', 'SecurityError'); } })`;
  const names = new Map(Object.entries(KEYS).map(([name, key]) => [key as string, name]));
  return {
    async openTab() {
      const page = await context.newPage();
      return {
        goTo: (url) => page.goto(url),
        evaluate: (script) => page.evaluate(script),
        click: (x, y) => page.mouse.click(x, y),
        async type(text) {
          for (const key of text) {
            const name = names.get(key);
            await (name === undefined ? page.keyboard.type(key) : page.keyboard.press(name));
          }
        },
        resize: (width) => page.setViewportSize({ width, height: HEIGHT }),
      };
    },
    blockStorage: () => context.addInitScript(blocked),
    close: () => browser.close(),
  };
}

/** An answer of WebDriver BiDi, with what is read of any result. */
interface Answer {
  readonly type: string;
  readonly message?: string;
  readonly result: {
    readonly context?: string;
    readonly contexts?: readonly { readonly context: string }[];
    readonly result?: { readonly value?: string };
    readonly exceptionDetails?: { readonly text: string };
  };
}

async function launchFirefox(): Promise<Engine> {
  const args = ['--headless', '--no-remote', '--profile', temporaryFolder()];
  // Its settings can be changed while it runs.
  args.push('--remote-debugging-port', '0', '--remote-allow-system-access');
  const firefox = start(FIREFOX, args);
  const address = await firefox.printed(/WebDriver BiDi listening on (\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await once(socket, 'open');
  const answers = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer: Answer & { readonly id: number } = JSON.parse(data);
    answers.get(answer.id)?.(answer);
  };
  async function send(method: string, params: object): Promise<Answer['result']> {
    const id = answers.size;
    const answer = new Promise<Answer>((resolve) => answers.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, message, result } = await answer;
    if (type === 'error') throw new Error(`${method}: ${message}`);
    return result;
  }
  await send('session.new', { capabilities: {} });
  let hasTab = false;
  return {
    async openTab() {
      // Firefox takes a second to resize a tab behind another one.
      const created = { type: 'tab', background: hasTab };
      const { context } = await send('browsingContext.create', created);
      hasTab = true;
      const act = (actions: object) => send('input.performActions', { context, actions });
      return {
        goTo: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
        async evaluate(script) {
          const { result, exceptionDetails } = await send('script.evaluate', {
            expression: `JSON.stringify(${script})`,
            target: { context },
            awaitPromise: false,
          });
          if (exceptionDetails) throw new Error(exceptionDetails.text);
          return JSON.parse(result?.value ?? 'null');
        },
        click: (x, y) => act(clickAt(x, y)),
        type: (text) => act(keysOf(text)),
        resize: (width) =>
          send('browsingContext.setViewport', { context, viewport: { width, height: HEIGHT } }),
      };
    },
    async blockStorage() {
      // The others are not used any more.
      hasTab = false;
      const { contexts } = await send('browsingContext.getTree', { 'moz:scope': 'chrome' });
      await send('script.evaluate', {
        expression: 'Services.prefs.setBoolPref("dom.storage.enabled", false)',
        target: { context: contexts?.[0]?.context },
        awaitPromise: false,
      });
    },
    close: firefox.stop,
  };
}

async function launchWebKit(): Promise<Engine> {
  const xvfb = start(XVFB, ['-displayfd', '1', '-screen', '0', '1600x1024x24']);
  const DISPLAY = `:${await xvfb.printed(/^(\d+)\n/)}`;
  const port = await freePort();
  // Otherwise the window is never narrower than its buttons, 447 px.
  const XDG_CONFIG_HOME = temporaryFolder();
  mkdirSync(join(XDG_CONFIG_HOME, 'gtk-3.0'));
  writeFileSync(join(XDG_CONFIG_HOME, 'gtk-3.0/gtk.css'), '* { min-width: 0; padding: 0 }');
  // Without a GPU, compositing takes a third of the time.
  const env = { DISPLAY, XDG_CONFIG_HOME, WEBKIT_DISABLE_COMPOSITING_MODE: '1' };
  const driver = start(WEBKIT_DRIVER, [`--port=${port}`], env);
  // It does not print when it is ready.
  const isUp = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/status`).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await setTimeout(50);
  let session = '';
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}/session${session}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: T };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  }
  const post = <T>(path: string, body: object) => call<T>('POST', path, body);
  let first: string | undefined;
  async function startBrowser(...settings: readonly string[]): Promise<void> {
    const args = ['--automation', ...settings];
    const options = { 'webkitgtk:browserOptions': { binary: MINI_BROWSER, args } };
    const { sessionId } = await post<{ sessionId: string }>('', {
      capabilities: { alwaysMatch: options },
    });
    session = `/${sessionId}`;
    first = await call<string>('GET', '/window');
  }
  const stopBrowser = async (): Promise<void> => {
    await call('DELETE', '');
    session = '';
  };
  await startBrowser();
  return {
    async openTab() {
      // Only the browser's first tab can be clicked.
      const handle =
        first ?? (await post<{ handle: string }>('/window/new', { type: 'tab' })).handle;
      first = undefined;
      const inTab = async (path: string, body: object) => {
        await post('/window', { handle });
        return await post(path, body);
      };
      const tab: Tab = {
        goTo: (url) => inTab('/url', { url }),
        evaluate: (script) => inTab('/execute/sync', { script: `return ${script}`, args: [] }),
        click: (x, y) => inTab('/actions', { actions: clickAt(x, y) }),
        type: (text) => inTab('/actions', { actions: keysOf(text) }),
        async resize(width) {
          const frame = Number(await tab.evaluate('outerWidth - innerWidth'));
          await inTab('/window/rect', { width: width + frame, height: HEIGHT });
        },
      };
      return tab;
    },
    async blockStorage() {
      await stopBrowser();
      await startBrowser('--enable-html5-local-storage=false');
    },
    async close() {
      await stopBrowser();
      await driver.stop();
      await xvfb.stop();
    },
  };
}

/** Each engine, whether it is installed, and how it is launched. */
export const ENGINES = [
  ['Chromium', hasChromium, launchChromium],
  ['Firefox', FIREFOX !== undefined, launchFirefox],
  ['WebKit', [MINI_BROWSER, XVFB, WEBKIT_DRIVER].every((path) => path !== undefined), launchWebKit],
] as const;
