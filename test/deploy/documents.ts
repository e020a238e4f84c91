// Extracts the shell commands from the documents, and produces the log line that they explain.

import { readFileSync } from 'node:fs';
import { createEndpoint } from '../../functions/src/lookup.ts';
import type { LogLine } from '../../functions/src/requestLog.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const text = ['deploy', 'administration', 'runbook'].map(read).join('\n## End\n');

/**
 * @param heading a section of one of the documents
 * @param project replaces ID in the commands
 * @returns the commands of the section, with continued lines joined
 */
export function documentedCommands(heading: string, project: string): string[] {
  const after = text.split(`\n### ${heading}\n`)[1] ?? text.split(`\n## ${heading}\n`)[1] ?? '';
  const [section = ''] = after.split(/\n##+ /);
  const blocks = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)];
  return blocks
    .flatMap(([, block = '']) => block.replaceAll(/ *\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim().replaceAll(/\bID\b/g, project))
    .filter((line) => line !== '');
}

/** @throws Error unless exactly one command of the section contains the words */
export function documentedCommand(heading: string, words: string, project: string): string {
  const found = documentedCommands(heading, project).filter((line) => line.includes(words));
  const [command] = found;
  if (command === undefined || found.length > 1) {
    throw new Error(
      `Found ${found.length} commands of "${heading}" with "${words}" instead of one`,
    );
  }
  return command;
}

const capturesIn = (document: string, pattern: RegExp): string[] =>
  [...document.matchAll(pattern)].map(([, captured = '']) => captured);

/** The headings of a document of docs/. */
export const headings = (name: string): string[] => capturesIn(read(name), /^##+ (.*)$/gm);

/** The gcloud commands in the sentences of all documents. */
export const commandsInSentences = (project: string): string[] =>
  capturesIn(text, /`(gcloud [^`]+)`/g).map((line) => line.replaceAll(/\bID\b/g, project));

/** The log line of a lookup whose key cannot be read. */
export async function failedLine(error: unknown): Promise<LogLine> {
  const lines: LogLine[] = [];
  const fail = () => Promise.reject(error);
  const endpoint = createEndpoint({
    firestore: { readDocument: fail, queryDocuments: fail },
    accounts: { findByEmail: fail },
    now: Date.now,
    log: (line) => lines.push(line),
  });
  await endpoint({ method: 'GET', target: '/', apiKey: 'x', requestId: 'the-request' });
  const [line] = lines;
  if (!line) throw new Error('nothing was logged');
  return line;
}
