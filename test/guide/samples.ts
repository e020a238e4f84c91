// Finds and runs the code samples in the documents. The comment above a sample is its mark. `file: NAME` saves the
// sample in a file, and `file: NAME, prints TEXT` also runs the file, which must print TEXT. `run: TEXT` runs it as a
// command that must print TEXT. One with `install` or `install from the registry` installs packages. One with `by hand`
// is not run.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SITE_ADDRESS } from '../../site/markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const FENCE = /(?:<!-- (?<mark>.+?) -->\n)?^```(?<language>\w+)\n(?<code>[\s\S]*?)\n```$/gm;

export interface Sample {
  readonly name: string;
  readonly language: string;
  readonly code: string;
  /** The mark above the sample, such as `run`, `file`, `install`, `by hand`; '' if there is none. */
  readonly mark: string;
  /** The file to save it in. */
  readonly file: string;
  /** A part of its output; undefined if it is not run. */
  readonly prints: string | undefined;
}

export const readSamples = (document: string): Sample[] =>
  [...readFileSync(new URL(document, ROOT), 'utf8').matchAll(FENCE)].map(
    ({ groups: { mark: comment = '', language = '', code = '' } = {} }, index) => {
      const [mark = '', detail = ''] = comment.split(/: (.*)/);
      const [file = '', printed] = mark === 'file' ? detail.split(/, prints (.*)/) : [];
      const prints = mark === 'run' ? detail : printed;
      const name = `${document}, ${file || `sample ${index + 1}`}`;
      return { name, language, code, mark, file: file || `sample${index}.sh`, prints };
    },
  );

/** The environment of a user's shell, without the variables that npm sets. */
const SHELL = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
);

/** Runs a program to its end. */
export const runProgram = (
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ status: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { ...SHELL, ...options.env };
    execFile(command, words, { ...options, env }, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      resolve({ status, stdout, stderr });
    });
  });

const RUNNERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  sh: ['bash', '-euo', 'pipefail'],
  python: ['python3'],
  ts: [process.execPath],
};

/** Saves a sample in its file. @param site replaces the site's address in the sample */
export function saveSample({ code, file }: Sample, folder: string, site: string): void {
  writeFileSync(join(folder, file), `${code.replaceAll(SITE_ADDRESS, site)}\n`);
}

/**
 * Runs a saved sample.
 *
 * @param command replaces the default command of its language
 */
export function runSample(
  { language, file }: Pick<Sample, 'language' | 'file'>,
  folder: string,
  env: Readonly<Record<string, string>>,
  command: readonly [string, ...string[]] | undefined = RUNNERS[language],
) {
  if (!command) throw new Error(`There is no command to run a sample in ${language}`);
  const [program, ...words] = command;
  return runProgram(program, [...words, file], { cwd: folder, env });
}
