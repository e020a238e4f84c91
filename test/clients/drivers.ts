// Runs jobs with the client of each language in a separate process.

import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Attempt } from '../../clients/typescript/client.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = join(ROOT, 'test/clients');

/** Looks up one subject, or many. */
export interface Job {
  readonly url: string;
  readonly key: string;
  /** Mode and value. */
  readonly subject?: Readonly<Record<string, unknown>>;
  readonly subjects?: readonly unknown[];
  readonly atOnce?: number;
  /** Seconds. */
  readonly maxWait?: number | undefined;
  readonly timeout?: number | undefined;
  readonly pause?: number;
  /** The value of HTTPS_PROXY for Python, which reads it for each client. */
  readonly proxy?: string;
  readonly allowPlainHttp?: boolean;
}

export interface Outcome {
  /** `ok`, the name of the error's class, which both languages share, or `invalid` for a mistake of the caller. */
  readonly kind: string;
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfter?: number | undefined;
  /** That of a refusal. */
  readonly evidence?: object | null;
  /** How the language prints the failure. */
  readonly text: string;
  readonly value?: unknown;
  /** The attempts, as the client told of them, each with the end of the key. */
  readonly told: (Attempt & { readonly keyEnds: string | null })[];
}

/**
 * The folder of httpx, which the Python client needs; undefined if no Python has it. Debian's package is for the system's
 * own Python. It and what it needs are pure Python, so any version can use them.
 */
export const HTTPX = ['python3', '/usr/bin/python3']
  .map((program) => spawnSync(program, ['-c', 'import httpx; print(httpx.__path__[0])']))
  .map(({ stdout }) => dirname(`${stdout}`))
  .find((folder) => folder !== '.');
if (HTTPX === undefined)
  console.warn(
    '\n*** THE PYTHON CLIENT IS NOT TESTED: install httpx (Debian: python3-httpx). ***\n',
  );

/** The environment in which any Python finds the client. */
export const PYTHON_ENV = {
  PYTHONPATH: `${join(ROOT, 'clients/python')}:${HTTPX}`,
  PYTHONDONTWRITEBYTECODE: '1',
};

/** @returns the path of a version of Python; empty if it is not installed. pyenv's own commands start slowly. */
function python(version = ''): string {
  // If pyenv manages several versions of Python, `python3.9` runs only with this variable.
  const env = { ...process.env, ...(version && { PYENV_VERSION: version }) };
  const words = ['-c', 'import sys; print(sys.executable)'];
  return `${spawnSync(`python3${version.slice(1)}`, words, { env }).stdout ?? ''}`.trim();
}

export const PYTHON = python();

/** @returns what runs groups of jobs by title, one group after another, and returns all outcomes by title */
const runner =
  (command: string, words: readonly string[], variables: NodeJS.ProcessEnv = {}) =>
  async (
    groups: readonly Readonly<Record<string, Job>>[],
    more: NodeJS.ProcessEnv,
  ): Promise<Record<string, Outcome>> => {
    const env = { ...process.env, ...variables, ...more };
    const child = spawn(command, words, { env, stdio: 'pipe' });
    child.stdin.end(JSON.stringify(groups.map((jobs) => Object.values(jobs))));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    // A client that throws an error that it does not document ends the driver.
    if (stdout === '' || stderr !== '') throw new Error(`${command} printed a fault:\n${stderr}`);
    const outcomes: Outcome[] = JSON.parse(stdout);
    const titles = groups.flatMap((jobs) => Object.keys(jobs));
    return Object.fromEntries(titles.map((title, index) => [title, outcomes[index] as Outcome]));
  };

/** The installed languages. Python 3.9 is the oldest version that its client supports. */
export const LANGUAGES = [
  { name: 'TypeScript', run: runner(process.execPath, [join(HERE, 'driver.ts')]) },
  ...[PYTHON, python('3.9')].flatMap((command, index) =>
    (command && HTTPX ? [[], ['async']] : []).map((words) => ({
      name: ['Python', ...(index ? ['3.9'] : []), ...words].join('-'),
      run: runner(command, [join(HERE, 'driver.py'), ...words], PYTHON_ENV),
    })),
  ),
];
