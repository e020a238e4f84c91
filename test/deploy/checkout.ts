// Copies this checkout, so that deploying from the copy does not affect other tests.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMPILED = join(tmpdir(), 'poh-compiled');

export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)));
export const hasGcloud = isInstalled('gcloud');

export interface Checkout {
  readonly folder: string;
  /**
   * Runs a command in a shell.
   *
   * @param answers the text to type after each prompt; omitted to run without a terminal
   */
  run(command: string, env: NodeJS.ProcessEnv, answers?: Record<string, string>): Promise<Outcome>;
}

interface Outcome {
  readonly status: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

export function makeCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: ROOT,
  });
  // The list includes deleted files that are not committed yet.
  const tar = [
    '--null',
    '--files-from=-',
    '--ignore-failed-read',
    '--warning=no-failed-read',
    '-c',
  ];
  const archive = execFileSync('tar', tar, { cwd: ROOT, input: listed, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x'], { cwd: folder, input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    run: (command, env, answers) => run(folder, command, env, answers),
  };
}

/** Files with credentials or personal data, named as tools name them. None may be uploaded. */
const PLANTED = [
  '.env.local',
  '.npmrc',
  '.secret.local',
  'application_default_credentials.json',
  'attestations.csv',
  'demo-poh-firebase-adminsdk-a1b2c-0123456789.json',
  'firebase-debug.log',
  'key.pem',
  'node_modules/x/package.json',
];

/** Adds the files where they could be uploaded. */
export function plantFiles({ folder }: Checkout): void {
  for (const directory of ['', 'functions', 'functions/lib']) {
    for (const name of PLANTED) {
      const file = join(folder, directory, name);
      if (existsSync(file)) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
    }
  }
}

/** Makes firebase-tools deploy the existing build. */
export function skipPredeploy({ folder }: Checkout): void {
  const file = join(folder, 'firebase.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/"predeploy": \[[^\]]*\]/g, '"predeploy": []'));
}

async function run(
  folder: string,
  command: string,
  env: NodeJS.ProcessEnv,
  answers?: Record<string, string>,
): Promise<Outcome> {
  const { PATH, HOME } = process.env;
  const words = answers ? ['script', '-qec', command, '/dev/null'] : ['bash', '-c', command];
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    cwd: folder,
    env: {
      PATH: `${ROOT}node_modules/.bin:${PATH}`,
      HOME,
      TERM: 'dumb',
      SHELL: '/bin/bash',
      // firebase-tools spends most of its start-up time compiling.
      NODE_COMPILE_CACHE: COMPILED,
      ...env,
    },
  });
  let output = '';
  const waiting = Object.entries(answers ?? {});
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      const [question, answer] = waiting[0] ?? [];
      if (question === undefined || !output.includes(question)) return;
      waiting.shift();
      child.stdin.write(`${answer}\r`);
    });
  }
  if (!answers) child.stdin.end();
  await once(child, 'close');
  return { status: child.exitCode, output };
}
