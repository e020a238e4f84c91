// Runs deploy/apply.sh, and reads the files of the repository.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../guide/samples.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const textOf = (file: string): string => readFileSync(ROOT + file, 'utf8');
export const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).sort();
export const PROGRAM = 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv';
export const SITE = 'acme-poh-attestations.web.app';
const REQUIRED = ['--project', 'acme-poh', '--alert-email', 'ops@example.com'];
export const ALL = [...REQUIRED, '--program', PROGRAM, '--site', SITE];

/** @returns the exit status, and standard output and standard error */
export async function apply(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: ROOT, env };
  const { status, stdout, stderr } = await runProgram('deploy/apply.sh', words, options);
  return { status, output: `${stdout}${stderr}` };
}

/** The commands that a run with all options prints, without running them. */
export async function dryRun(): Promise<string[]> {
  const { output } = await apply([...ALL, '--firestore-location', 'nam5', '--dry-run']);
  return output.split('\n').filter((line) => line.startsWith('+ '));
}
