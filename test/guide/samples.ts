// Finds the code samples in the documents, and runs each as its reader would. The comment above a
// fence says what it is: `file: NAME` to save, `install` packages with, `run: TEXT` with what it must
// print, or `by hand`.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = new URL('../../', import.meta.url);
const FENCE = /(?:<!-- (?<mark>.+?) -->\n)?^```(?<language>\w+)\n(?<code>[\s\S]*?)\n```$/gm;

export interface Sample {
  readonly name: string;
  readonly language: string;
  readonly code: string;
  /** What is said above the fence: `run`, `file`, `install`, `by hand`; '' when nothing is. */
  readonly mark: string;
  /** What follows in it: a part of what is printed, or the name of the file. */
  readonly detail: string;
}

export const readSamples = (document: string): Sample[] =>
  [...readFileSync(new URL(document, ROOT), 'utf8').matchAll(FENCE)].map(
    ({ groups: { mark = '', language = '', code = '' } = {} }, index) => {
      const [word = '', detail = ''] = mark.split(/: (.*)/);
      return { name: `${document}, sample ${index + 1}`, language, code, mark: word, detail };
    },
  );

/** The variables that a document exports. */
export const readExports = (document: string): Record<string, string> =>
  Object.fromEntries(
    readSamples(document)
      .filter(({ mark }) => mark === 'exports')
      .flatMap(({ code }) => [...code.matchAll(/^export (\w+)=(\S+)$/gm)])
      .map(([, name, value]) => [name, value]),
  );

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A reader's shell: without the variables that npm gives to what it runs. */
const SHELL = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
);

/** Runs a program to its end. */
export const runProgram = (
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = { ...SHELL, ...options.env };
    execFile(command, words, { ...options, env }, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      resolve({ status, stdout, stderr });
    });
  });

interface Runner {
  readonly words: readonly [string, ...string[]];
  readonly extension: string;
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  sh: { words: ['bash', '-euo', 'pipefail'], extension: 'sh' },
  python: { words: ['python3'], extension: 'py' },
  ts: { words: [process.execPath], extension: 'mts' },
  go: { words: ['go', 'run'], extension: 'go' },
};

/** @returns the name of the sample's file, which is written into the folder */
export function saveSample({ name, language, code, mark, detail }: Sample, folder: string): string {
  const extension = RUNNERS[language]?.extension ?? language;
  const file = mark === 'file' ? detail : `${name.replaceAll(/\W+/g, '-')}.${extension}`;
  // Another run of the same sample may be reading it.
  if (!existsSync(join(folder, file))) writeFileSync(join(folder, file), `${code}\n`);
  return file;
}

/**
 * Saves a sample and runs it.
 *
 * @param node the Node that runs a sample in TypeScript; left out: this one
 */
export function runSample(
  sample: Sample,
  folder: string,
  env: Readonly<Record<string, string>>,
  node?: string,
): Promise<Outcome> {
  const runner = RUNNERS[sample.language];
  if (!runner) throw new Error(`nothing runs a sample in ${sample.language}`);
  const [command, ...words] = runner.words;
  const program = sample.language === 'ts' && node !== undefined ? node : command;
  return runProgram(program, [...words, saveSample(sample, folder)], { cwd: folder, env });
}
