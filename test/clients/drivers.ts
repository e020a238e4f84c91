// Runs jobs with the client of each language in a separate process.

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { HTTPX } from './httpx.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = join(ROOT, 'test/clients');

/** Looks up one subject, or many. */
export interface Job {
  readonly url: string;
  readonly key: string;
  /** Mode and value. */
  readonly subject?: Readonly<Record<string, string>>;
  readonly subjects?: readonly Readonly<Record<string, string>>[];
  readonly atOnce?: number;
  /** Seconds. */
  readonly timeout?: number;
}

export interface Outcome {
  readonly kind: 'ok' | 'refused' | 'unavailable' | 'invalid';
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfter?: number | undefined;
  readonly isAboutSubject?: boolean;
  /** How the language prints the failure. */
  readonly text: string;
  readonly value?: unknown;
}

type Jobs = Readonly<Record<string, Job>>;
type Environment = Readonly<Record<string, string>>;

/** The environment in which any Python finds the client. */
export const PYTHON_ENV = {
  PYTHONPATH: `${join(ROOT, 'clients/python')}:${HTTPX}`,
  PYTHONDONTWRITEBYTECODE: '1',
};

/** @returns what runs jobs by title, and returns their outcomes by title */
const runner =
  (command: string, words: readonly string[], variables: Environment = {}) =>
  async (jobs: Jobs, more: Environment = {}): Promise<Record<string, Outcome>> => {
    const env = { ...process.env, ...variables, ...more };
    const child = spawn(command, words, { env, stdio: 'pipe' });
    child.stdin.end(JSON.stringify(Object.values(jobs)));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    // A client that throws an error that it does not document ends the driver.
    if (stdout === '' || stderr !== '') throw new Error(`${command} printed a fault:\n${stderr}`);
    const outcomes: Outcome[] = JSON.parse(stdout);
    return Object.fromEntries(
      Object.keys(jobs).map((title, index) => [title, outcomes[index]]),
    ) as Record<string, Outcome>;
  };

/** @returns the ways to use a version of Python; none if it is not installed */
function python(version: string) {
  // If pyenv manages several versions of Python, `python3.9` runs only with this variable.
  const env = { ...PYTHON_ENV, ...(version && { PYENV_VERSION: version }) };
  const command = `python3${version.slice(1)}`;
  const found = spawnSync(command, ['--version'], { env: { ...process.env, ...env } });
  if (HTTPX === undefined || found.status !== 0) return [];
  return [[], ['async']].map((words) => ({
    name: ['Python', version, ...words].filter(Boolean).join('-'),
    run: runner(command, [join(HERE, 'driver.py'), ...words], env),
  }));
}

/** The installed languages. Python 3.9 is the oldest version that its client supports. */
export const LANGUAGES = [
  { name: 'TypeScript', run: runner(process.execPath, [join(HERE, 'driver.ts')]) },
  ...python(''),
  ...python('3.9'),
];
