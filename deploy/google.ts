// Talks to Google: runs gcloud and firebase-tools, sends requests with gcloud's access token, and waits where Google needs
// time. Must not know what a deployment consists of.

import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { parseJson } from '../cli/terminal/parseJson.ts';

export type Json = Readonly<Record<string, unknown>>;
export const jsonObject = z.record(z.string(), z.unknown());

export interface Outcome {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/** What is outside of this program: other programs, Google's servers, the clock, and the person. */
export interface Outside {
  run(program: Program, words: readonly string[], options?: RunOptions): Promise<Outcome>;
  fetch(url: string, init: RequestInit): Promise<Response>;
  sleep(ms: number): Promise<void>;
  say(line: string): void;
  /** Where the project is, its settings, and the keys of this machine. */
  readonly folders: Readonly<Record<'root' | 'settings' | 'keys', string>>;
  /** Undefined if there is no terminal to ask on. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}
export type Program = 'gcloud' | 'firebase' | 'build' | 'admin';
interface RunOptions {
  /** The program asks the person itself. */
  readonly interactive?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../', import.meta.url));
export const FOLDERS: Outside['folders'] = {
  root: ROOT,
  settings: join(import.meta.dirname, 'settings'),
  keys: join(homedir(), '.poh'),
};
const isWindows = process.platform === 'win32';
/** On Windows, gcloud is a batch file, which Node starts only through a shell. No argument has a % or a newline. */
const quote = (word: string): string => (isWindows ? `"${word.replaceAll('"', '\\"')}"` : word);
const COMMANDS: Readonly<Record<Program, readonly [string, ...string[]]>> = {
  gcloud: [isWindows ? 'gcloud.cmd' : 'gcloud'],
  firebase: [process.execPath, `${ROOT}node_modules/firebase-tools/lib/bin/firebase.js`],
  build: [process.execPath, `${ROOT}tools/build.ts`],
  admin: [process.execPath, `${ROOT}cli/main.ts`],
};

/** Runs a program to its end, and shows what it prints as it comes. */
export const runProgram =
  (say: (line: string) => void): Outside['run'] =>
  (program, words, { interactive = false, env = {} } = {}) =>
    new Promise((resolve, reject) => {
      const [file, ...first] = COMMANDS[program];
      const shell = isWindows && program === 'gcloud';
      const child = spawn(file, [...first, ...(shell ? words.map(quote) : words)], {
        cwd: ROOT,
        shell,
        stdio: interactive ? 'inherit' : ['ignore', 'pipe', 'pipe'],
        // Otherwise gcloud would wait for answers, and write the key of the uptime check into its log files.
        env: {
          ...process.env,
          CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
          CLOUDSDK_CORE_DISABLE_FILE_LOGGING: '1',
          ...env,
        },
      });
      const texts = { output: '', errors: '' };
      const isToken = words.includes('print-access-token');
      for (const [name, stream] of [
        ['output', child.stdout],
        ['errors', child.stderr],
      ] as const) {
        if (!stream) continue;
        createInterface({ input: stream }).on('line', (line) => {
          texts[name] += `${line}\n`;
          if (!isToken && line.trim()) say(`    ${line}`);
        });
      }
      child.once('error', () =>
        reject(
          new Failure(
            `${program} is not installed. See https://cloud.google.com/sdk/docs/install.`,
          ),
        ),
      );
      child.once('close', (status) => resolve({ status: status ?? 1, ...texts }));
    });

/** What Google says while something is new, busy or away, and what the program then waits for. */
const WAITS: readonly (readonly [RegExp, string])[] = [
  [
    /SERVICE_DISABLED|has not been used in project|enabled this API recently/i,
    'an API that was just enabled',
  ],
  [
    /service account\S* .*(does not exist|not found)|unknown service account|invalid service account/i,
    'a new account',
  ],
  [
    /(gserviceaccount\.com|service (account|agent)).*(not have|denied|permission|forbidden)|(not have|denied|permission).*gserviceaccount\.com/is,
    'a role that was just granted',
  ],
  [
    /service agent|permission.*(propagat|few minutes)/i,
    "one of Google's own accounts, which is new",
  ],
  [/cannot find metric/i, 'a new metric'],
  [/\bABORTED\b|concurrent (policy )?(change|modification)/i, 'another change that is being made'],
  [/RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED|\b429\b/, "Google's limit of requests in a minute"],
  [
    /UNAVAILABLE|DEADLINE_EXCEEDED|\b50[0234]\b|ECONNRESET|ETIMEDOUT|EAI_AGAIN|fetch failed/i,
    'Google, which does not answer at present',
  ],
];
export const waitFor = (text: string): string | undefined =>
  WAITS.find(([pattern]) => pattern.test(text))?.[1];

/** 36 tries take 12 minutes. Google says that a role takes 7 or more. */
const TRIES = 36;
const PAUSE_MS = 20_000;

/** Google refused, with its own words. */
export class Refusal extends Failure {
  readonly reply: string;
  constructor(what: string, reply: string) {
    const lines = reply.trim().split('\n').slice(-6).join('\n    ');
    super(`${what} failed:\n    ${lines}`);
    this.reply = reply;
  }
}

/** Only what the program may wait for and what it does. */
export class Google {
  readonly outside: Outside;
  readonly project: string;
  #token: Promise<string> | undefined;
  /** The reply of each address since the last change. */
  #seen = new Map<string, Promise<Json | undefined>>();
  readonly #readToken: (() => Promise<string>) | undefined;

  /** @param readToken where there is no gcloud */
  constructor(outside: Outside, project: string, readToken?: () => Promise<string>) {
    this.outside = outside;
    this.project = project;
    this.#readToken = readToken;
  }

  /** Tries again for as long as Google says that it needs time. */
  async patiently<T>(action: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await action();
      } catch (error) {
        const reason = error instanceof Refusal ? waitFor(error.reply) : undefined;
        if (reason === undefined || tries === TRIES) throw error;
        this.outside.say(`    Waiting for ${reason}. Trying again in ${PAUSE_MS / 1000} seconds.`);
        await this.outside.sleep(PAUSE_MS);
        this.#seen.clear();
      }
    }
  }

  /** Reads everything anew. */
  forget(): void {
    this.#seen.clear();
  }

  /** Runs a command that changes something. */
  async run(program: Program, words: readonly string[], options?: RunOptions): Promise<string> {
    const shown = words.map((word) => (/[\s'"&;()]/.test(word) ? `'${word}'` : word)).join(' ');
    this.outside.say(`+ ${program} ${shown}`);
    this.#seen.clear();
    const { status, output, errors } = await this.outside.run(program, words, options);
    if (status !== 0)
      throw new Refusal(`${program} ${words.slice(0, 4).join(' ')}`, `${output}${errors}`);
    return output;
  }

  #accessToken(): Promise<string> {
    this.#token ??= (
      this.#readToken ??
      (async () => {
        const { status, output } = await this.outside.run('gcloud', ['auth', 'print-access-token']);
        if (status === 0) return output.trim();
        throw new Failure(
          'gcloud has no login. Run `gcloud auth login --update-adc`, and then the same command again.',
        );
      })
    )();
    return this.#token;
  }

  /** Sends a request. @returns undefined if there is no such thing */
  async request(
    method: string,
    url: string,
    body?: unknown,
    isRepeated = false,
  ): Promise<Json | undefined> {
    const { hostname } = new URL(url);
    // These are asked before the project exists. The others count a request of a person as the project's.
    const isEarly = /^(cloudresourcemanager|cloudbilling|serviceusage|storage)\./.test(hostname);
    const token = await this.#accessToken();
    const response = await this.outside
      .fetch(url, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          ...(!isEarly && !this.#readToken && { 'X-Goog-User-Project': this.project }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(60_000),
      })
      .catch((cause: Error) => {
        throw new Refusal(`${method} ${hostname}`, `UNAVAILABLE: ${cause.message}`);
      });
    const text = await response.text();
    if (response.status === 401 && !isRepeated) {
      // It has ended. A first deployment may take longer than a token lives.
      this.#token = undefined;
      return await this.request(method, url, body, true);
    }
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Refusal(`${method} ${url}`, `${response.status} ${text}`);
    return jsonObject.parse(parseJson(text) ?? {});
  }

  /** The billing accounts that the person may use. */
  async billingAccounts(): Promise<string[]> {
    const reply = await this.read(
      'https://cloudbilling.googleapis.com/v1/billingAccounts',
      'billingAccounts',
    );
    const account = z.object({ name: z.string(), open: z.boolean().optional() });
    const all = itemsOf(reply?.['billingAccounts']).map((one) => account.parse(one));
    return all.filter(({ open }) => open).map(({ name }) => name.replace('billingAccounts/', ''));
  }

  /** Changes something by REST. */
  async change(method: string, url: string, body: unknown): Promise<Json> {
    this.outside.say(`+ ${method} ${url}`);
    this.#seen.clear();
    const reply = await this.request(method, url, body);
    if (reply) return reply;
    throw new Refusal(`${method} ${url}`, 'Google does not have it (404).');
  }

  /** Reads an address, and all pages of a list. @param list the name of the list in the reply */
  read(url: string, list?: string): Promise<Json | undefined> {
    const method = /(cloudresourcemanager|iam)\.googleapis.*:getIamPolicy$/.test(url)
      ? 'POST'
      : 'GET';
    const key = `${url} ${list}`;
    const known = this.#seen.get(key) ?? this.#readPages(method, url, list);
    this.#seen.set(key, known);
    known.catch(() => this.#seen.delete(key));
    return known;
  }

  async #readPages(method: string, url: string, list?: string): Promise<Json | undefined> {
    const first = await this.request(method, url, method === 'POST' ? {} : undefined);
    if (list === undefined || !first) return first;
    const items = [...itemsOf(first[list])];
    for (let page = first; typeof page['nextPageToken'] === 'string' && page['nextPageToken']; ) {
      const next = new URL(url);
      next.searchParams.set('pageToken', page['nextPageToken']);
      page = (await this.request(method, next.href)) ?? {};
      items.push(...itemsOf(page[list]));
    }
    return { [list]: items };
  }
}

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
