// Extracts the shell commands from the documents.

import { readFileSync } from 'node:fs';

const text = ['deploy', 'administration', 'runbook']
  .map((name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'))
  .join('\n## End\n');

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

/** The headings of a document of docs/. */
export const headings = (name: string): string[] =>
  [
    ...readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8').matchAll(
      /^##+ (.*)$/gm,
    ),
  ].map(([, heading = '']) => heading);
