// Runs deploy/apply.sh.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const PROGRAM = 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv';
export const SITE = 'acme-poh-attestations.web.app';
const REQUIRED = ['--project', 'acme-poh', '--alert-email', 'ops@example.com'];
export const ALL = [...REQUIRED, '--program', PROGRAM, '--site', SITE];

/** @returns the exit status, and standard output and standard error */
export const apply = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)('deploy/apply.sh', words, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  }).then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code, output: `${stdout}${stderr}` }),
  );

/** The commands that a run with all options prints, without running them. */
export async function dryRun(): Promise<string[]> {
  const { output } = await apply([...ALL, '--firestore-location', 'nam5', '--dry-run']);
  return output.split('\n').filter((line) => line.startsWith('+ '));
}
