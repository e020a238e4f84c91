// Finds the code samples in the documents, and runs each as its reader would.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = new URL('../../../', import.meta.url);
/** A fence that stands directly below a comment: run, or run with what it must print. */
const MARKED = /<!-- run(?:: (?<prints>.+?))? -->\n```(?<language>\w+)\n(?<code>[\s\S]*?)\n```/g;
const FENCE = /^```\w+$/gm;

export interface Sample {
  readonly name: string;
  readonly language: string;
  readonly code: string;
  /** A part of what it prints. */
  readonly prints: string;
}

/** The samples of a document; none when there is no such document. */
export function readSamples(document: string): Sample[] {
  const file = new URL(document, ROOT);
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(MARKED)].map(({ groups = {} }, index) => ({
    name: `${document}, sample ${index + 1}`,
    language: groups['language'] ?? '',
    code: groups['code'] ?? '',
    prints: groups['prints'] ?? '',
  }));
}

/** How many fences with a language a document has, marked or not. */
export const countFences = (document: string): number =>
  readFileSync(new URL(document, ROOT), 'utf8').match(FENCE)?.length ?? 0;

interface Runner {
  readonly command: string;
  readonly options: readonly string[];
  readonly extension: string;
}

const COMMANDS: Readonly<Record<string, Runner>> = {
  sh: { command: 'bash', options: ['-euo', 'pipefail'], extension: 'sh' },
  python: { command: 'python3', options: [], extension: 'py' },
  ts: { command: process.execPath, options: [], extension: 'ts' },
};

/**
 * Runs a sample.
 *
 * @param folder where it is written; the client that it may import stands there
 * @returns what it has written to standard output
 */
export async function runSample(
  { name, language, code }: Sample,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const kind = COMMANDS[language];
  if (!kind) throw new Error(`nothing runs a sample in ${language}`);
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.${kind.extension}`);
  writeFileSync(file, `${code}\n`);
  const { stdout } = await promisify(execFile)(kind.command, [...kind.options, file], {
    env: { ...process.env, ...env },
  });
  return stdout;
}
