// Talks to Google and to the person: runs gcloud and firebase-tools, sends requests with gcloud's access token, waits where
// Google needs time, and asks. Must not know what a deployment consists of.

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
  readonly isInteractive?: boolean;
  /** The project whose quota the program uses. */
  readonly project?: string;
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
  (program, words, { isInteractive = false, project } = {}) =>
    new Promise((resolve, reject) => {
      const [file, ...first] = COMMANDS[program];
      const shell = isWindows && program === 'gcloud';
      const child = spawn(file, [...first, ...(shell ? words.map(quote) : words)], {
        cwd: ROOT,
        shell,
        stdio: isInteractive ? 'inherit' : ['ignore', 'pipe', 'pipe'],
        // Otherwise gcloud would wait for answers, and write the key of the uptime check into its log files.
        env: {
          ...process.env,
          CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
          CLOUDSDK_CORE_DISABLE_FILE_LOGGING: '1',
          ...(project !== undefined && { GOOGLE_CLOUD_QUOTA_PROJECT: project }),
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

/** What the program waits for, by what Google says while something is new, busy or away. */
const WAITS: Readonly<Record<string, RegExp>> = {
  'an API that was just enabled':
    /SERVICE_DISABLED|has not been used in project|enabled this API recently/i,
  'a new account':
    /service account\S* .*(does not exist|not found)|(unknown|invalid) service account/i,
  'a role that was just granted':
    /(gserviceaccount\.com|service (account|agent)).*(not have|denied|permission|forbidden)|(not have|denied|permission).*gserviceaccount\.com/is,
  "one of Google's own accounts, which is new": /service agent|permission.*(propagat|few minutes)/i,
  'a new metric': /cannot find metric/i,
  'another change that is being made': /\bABORTED\b|concurrent (policy )?(change|modification)/i,
  "Google's limit of requests in a minute": /RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED|\b429\b/,
  'Google, which does not answer at present':
    /UNAVAILABLE|DEADLINE_EXCEEDED|\b50[0234]\b|ECONNRESET|ETIMEDOUT|EAI_AGAIN|fetch failed/i,
};
const waitFor = (text: string): string | undefined =>
  Object.keys(WAITS).find((reason) => WAITS[reason]?.test(text));

/** 36 tries take 12 minutes. Google says that a role takes 7 or more. */
const TRIES = 36;
const PAUSE_MS = 20_000;
/** How often to look whether a change has arrived. */
export const LOOK_AGAIN_MS = 5_000;

/** A person has ended it. */
export const ended = (cause?: unknown): Failure =>
  new Failure('Stopped, as you wish. Run the same command again to go on.', { cause });

/** Google refused, with its own words. */
export class Refusal extends Failure {
  readonly reply: string;
  constructor(what: string, reply: string) {
    const lines = reply.trim().split('\n').slice(-6).join('\n    ');
    super(`${what} failed:\n    ${lines}`);
    this.reply = reply;
  }
}

export class Google {
  readonly outside: Outside;
  readonly project: string;
  #token: Promise<string> | undefined;
  readonly #ownToken: (() => Promise<string>) | undefined;

  /** @param ownToken where there is no gcloud */
  constructor(outside: Outside, project: string, ownToken?: () => Promise<string>) {
    this.outside = outside;
    this.project = project;
    this.#ownToken = ownToken;
  }

  /** @throws Failure without a terminal */
  async answer(question: string): Promise<string> {
    const { ask } = this.outside;
    if (ask) return (await ask(question)).trim();
    throw new Failure(`${question}\nThis needs an answer, so it stops here. Run it on a terminal.`);
  }

  /** Asks a question that only yes answers. */
  async agrees(question: string): Promise<boolean> {
    return /^y(es)?$/i.test(await this.answer(`${question} [y/N] `));
  }

  /** @throws Failure unless the person agrees */
  async confirm(question: string): Promise<void> {
    if (!(await this.agrees(question))) throw ended();
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
      }
    }
  }

  /** Runs a command that changes something. */
  async run(program: Program, words: readonly string[], options?: RunOptions): Promise<string> {
    const shown = words.map((word) => (/[\s'"&;()]/.test(word) ? `'${word}'` : word)).join(' ');
    this.outside.say(`+ ${program} ${shown}`);
    const { status, output, errors } = await this.outside.run(program, words, options);
    if (status === 0) return output;
    throw new Refusal(`${program} ${words.slice(0, 4).join(' ')}`, `${output}${errors}`);
  }

  gcloud(...words: readonly string[]): Promise<string> {
    return this.run('gcloud', [...words, '--project', this.project]);
  }

  firebase(words: readonly string[], isInteractive = false): Promise<string> {
    const { project } = this;
    return this.run('firebase', [...words, '--project', project], { project, isInteractive });
  }

  async #gcloudToken(): Promise<string> {
    const { status, output } = await this.outside.run('gcloud', ['auth', 'print-access-token']);
    if (status === 0) return output.trim();
    throw new Failure(
      'gcloud has no login. Run `gcloud auth login --update-adc`, and then the same command again.',
    );
  }

  /** Writes `firestore/v1/x` as the address that it stands for. */
  #address(path: string): string {
    return path.replace(/^(\w+)\/(\w+)/, `https://$1.googleapis.com/$2/projects/${this.project}`);
  }

  /** The address of what has this name in a reply of another one. */
  named(path: string, name: unknown): string {
    return `${/^https:\/\/[^/]+\/\w+/.exec(this.#address(path))}/${name}`;
  }

  /** Sends a request. @returns undefined if there is no such thing */
  async request(method: string, path: string, body?: unknown): Promise<Json | undefined> {
    const url = this.#address(path);
    const { hostname } = new URL(url);
    // These are asked before the project exists. The others count a request of a person as the project's.
    const isEarly = /^(cloudresourcemanager|cloudbilling|serviceusage|storage)\./.test(hostname);
    const send = async (): Promise<Response> => {
      this.#token ??= this.#ownToken?.() ?? this.#gcloudToken();
      const headers = {
        Authorization: `Bearer ${await this.#token}`,
        'Content-Type': 'application/json',
        ...(!isEarly && !this.#ownToken && { 'X-Goog-User-Project': this.project }),
      };
      const init: RequestInit = { method, headers, redirect: 'error' };
      if (body !== undefined) init.body = JSON.stringify(body);
      init.signal = AbortSignal.timeout(60_000);
      return await this.outside.fetch(url, init).catch((cause: Error) => {
        throw new Refusal(`${method} ${hostname}`, `UNAVAILABLE: ${cause.message}`);
      });
    };
    let response = await send();
    if (response.status === 401) {
      // A first deployment may take longer than a token lives.
      this.#token = undefined;
      response = await send();
    }
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Refusal(`${method} ${url}`, `${response.status} ${text}`);
    return jsonObject.parse(parseJson(text) ?? {});
  }

  /** Changes something by REST, and waits for its end. */
  async change(method: string, path: string, body?: unknown): Promise<void> {
    const url = this.#address(path);
    this.outside.say(`+ ${method} ${url}`);
    let reply = await this.request(method, url, body);
    if (!reply) throw new Refusal(`${method} ${url}`, 'Google does not have it (404).');
    // Whether it has arrived is read later. Without an end in time, that decides.
    for (let tries = 0; tries < TRIES && isRunning(reply); tries += 1) {
      await this.outside.sleep(LOOK_AGAIN_MS);
      reply = (await this.request('GET', this.named(url, reply?.['name']))) ?? {};
    }
    if (reply['error']) throw new Refusal(`${method} ${url}`, JSON.stringify(reply['error']));
  }

  /**
   * Reads an address, and all pages of a list.
   *
   * @param list the name of the list in the reply
   * @returns undefined if there is no such thing, or if its API is off
   */
  async read(path: string, list?: string): Promise<Json | undefined> {
    const isPolicy = /(cloudresourcemanager|iam)(\.googleapis.*|\/v1.*):getIamPolicy$/.test(path);
    const [method, body] = isPolicy ? ['POST', {}] : ['GET'];
    const first = await this.request(method, path, body);
    if (list === undefined || !first) return first;
    const items = [...itemsOf(first[list])];
    for (let page = first; typeof page['nextPageToken'] === 'string' && page['nextPageToken']; ) {
      const next = new URL(this.#address(path));
      next.searchParams.set('pageToken', page['nextPageToken']);
      page = (await this.request(method, next.href)) ?? {};
      items.push(...itemsOf(page[list]));
    }
    return { [list]: items };
  }

  /** As `read`, of something whose API may be off, and as patiently as a change. */
  readIfThere(path: string, list?: string): Promise<Json | undefined> {
    return this.patiently(() =>
      this.read(path, list).catch((error: unknown) => {
        if (error instanceof Refusal && /SERVICE_DISABLED|has not been used/.test(error.reply))
          return undefined;
        throw error;
      }),
    );
  }
}

const isRunning = ({ name, done }: Json): boolean =>
  typeof name === 'string' && name.includes('/operations/') && done !== true;
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
