// Extracts the shell commands from the documents.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The text of all documents. */
export const text = globSync(`${ROOT}docs/*.md`)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

const capturesIn = (pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, captured = '']) => captured);

/** The lines of the documents' shell blocks, with continued lines joined, and the gcloud commands in their sentences. */
export function documentedCommands(): string[] {
  const lines = capturesIn(/^ *```sh\n([\s\S]*?)^ *```$/gm)
    .flatMap((block) => block.replaceAll(/ *\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim());
  return [...lines, ...capturesIn(/`(gcloud [^`]+)`/g)];
}
