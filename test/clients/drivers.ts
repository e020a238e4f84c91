// Runs jobs with the client of each language in a separate process.

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { HTTPX } from './httpx.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = join(ROOT, 'test/clients');

export interface Job {
  readonly action: 'lookUp' | 'many' | 'processes' | 'read';
  readonly url?: string;
  readonly key?: string;
  /** HOST:PORT of a server that the client's own `fetch` or connection calls instead of `url`. */
  readonly through?: string;
  /** Mode and value; several for `many`. */
  readonly subject?: Readonly<Record<string, string>>;
  readonly subjects?: readonly Readonly<Record<string, string>>[];
  /** The subjects of each process or thread, for `processes`. */
  readonly groups?: readonly (readonly Readonly<Record<string, string>>[])[];
  readonly atOnce?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly result?: object;
  readonly proposal?: string;
}

const outcome = z.object({
  /** `ok`, or the kind of the failure. */
  kind: z.enum(['ok', 'refused', 'unavailable', 'invalid']),
  status: z.int().optional(),
  code: z.string().optional(),
  requestId: z.string().optional(),
  retryAfter: z.int().optional(),
  isAboutSubject: z.boolean().optional(),
  /** How the language prints the failure. */
  text: z.string(),
  value: z.unknown().optional(),
});
export type Outcome = z.infer<typeof outcome>;

type Jobs = Readonly<Record<string, Job>>;
type Environment = Readonly<Record<string, string>>;

export interface Language {
  readonly name: string;
  /** @param jobs by title @returns their outcomes by title */
  readonly run: (jobs: Jobs, env?: Environment) => Promise<Record<string, Outcome>>;
}

const has = (command: string, env: Environment, ...words: readonly string[]): boolean =>
  spawnSync(command, words, { env: { ...process.env, ...env } }).status === 0;

async function runDriver(
  words: readonly [string, ...string[]],
  jobs: Jobs,
  variables: Environment = {},
): Promise<Record<string, Outcome>> {
  const [command, ...rest] = words;
  const env = { ...process.env, ...variables };
  const child = spawn(command, rest, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(Object.values(jobs)));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === '') throw new Error(`${words.join(' ')} ended without a result:\n${stderr}`);
  const outcomes = z.array(outcome).length(Object.keys(jobs).length).parse(JSON.parse(stdout));
  return Object.fromEntries(
    Object.keys(jobs).map((title, index) => [title, outcomes[index] as Outcome]),
  );
}

/** The environment in which any Python finds the client. */
export const PYTHON_ENV = {
  PYTHONPATH: `${join(ROOT, 'clients/python')}:${HTTPX}`,
  PYTHONDONTWRITEBYTECODE: '1',
};

/** @param words of the driver: `async` for AsyncClient */
function python(
  name: string,
  program: string,
  words: readonly string[],
  env: Environment = {},
): Language & { isInstalled: boolean } {
  const variables = { ...PYTHON_ENV, ...env };
  return {
    name,
    isInstalled: HTTPX !== undefined && has(program, variables, '-c', 'import httpx'),
    run: (jobs, more) =>
      runDriver([program, join(HERE, 'driver.py'), ...words], jobs, { ...variables, ...more }),
  };
}

/** The installed languages. Python 3.9 is the oldest version that its client supports. */
export const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    isInstalled: true,
    run: (jobs: Jobs, env?: Environment) =>
      runDriver([process.execPath, join(HERE, 'driver.ts')], jobs, env),
  },
  python('Python', 'python3', []),
  python('Python-async', 'python3', ['async']),
  // If pyenv manages several versions of Python, `python3.9` runs only with this variable.
  python('Python-3.9', 'python3.9', [], { PYENV_VERSION: '3.9' }),
  python('Python-3.9-async', 'python3.9', ['async'], { PYENV_VERSION: '3.9' }),
].filter(({ isInstalled }) => isInstalled);
