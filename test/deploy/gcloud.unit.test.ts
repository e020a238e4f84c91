// Checks every gcloud command with gcloud's own parser, and every file that gcloud sends to Google with gcloud's own
// definitions of Google's messages. Neither needs a network. The values of options are checked only where gcloud does.

import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { dryRun, filesOf, ROOT, textOf } from './applyScript.ts';

/** The path of gcloud; empty if it is not installed. */
const GCLOUD = spawnSync('sh', ['-c', 'command -v gcloud'], { encoding: 'utf8' }).stdout.trim();

/** The lines of the documents' shell blocks, with continued lines joined, and the gcloud commands in their sentences. */
function documentedCommands(): string[] {
  const text = filesOf('docs/*.md').map(textOf).join('\n');
  const capturesOf = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, captured = '']) => captured);
  const blocks = capturesOf(/^ *```sh\n([\s\S]*?)^ *```$/gm);
  const lines = blocks.flatMap((block) => block.replaceAll(/ *\\\n\s*/g, ' ').split('\n'));
  return [...lines, ...capturesOf(/`(gcloud [^`]+)`/g)];
}

/** Replaces a file of options with its content, which the parser would not read. */
const withFlags = (command: string): string =>
  command.replace(/--flags-file (jobs\/\S+)/, (_, file: string) =>
    Object.entries<unknown>(parse(textOf(`deploy/${file}`)))
      .map(([flag, value]) => (value === null ? flag : `${flag}='${[value].flat().join(',')}'`))
      .join(' '),
  );

test.skipIf(!GCLOUD)('gcloud accepts every command of the documents and of apply.sh', async () => {
  const misspelt = 'gcloud run services update poh --projct acme-poh';
  const found = [...documentedCommands(), ...(await dryRun()), misspelt]
    .flatMap((line) => line.match(/\bgcloud (?:\\.|'[^']*'|"[^"]*"|[^\\'"|;&])*/g) ?? [])
    .map((command) => withFlags(command.replaceAll(/\bID\b/g, 'acme-poh')));
  const commands = [...new Set(found)];
  const file = join(temporaryFolder(), 'commands.json');
  writeFileSync(file, JSON.stringify(commands.map((command_string) => ({ command_string }))));
  const words = ['meta', 'lint-gcloud-commands', `--commands-file=${file}`];
  const output = execFileSync('gcloud', words, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const checked: { error_message: unknown }[] = JSON.parse(output);
  expect(checked).toHaveLength(commands.length);
  expect(checked.filter(({ error_message }) => error_message !== null)).toMatchObject([
    { error_message: expect.stringContaining("did you mean '--project'") },
  ]);
});

/** The files, with the module and the name of their message. */
const MESSAGES = [
  ['alerts/*.yaml', 'monitoring.v3.monitoring_v3_messages', 'AlertPolicy'],
  ['dashboard.yaml', 'monitoring.v1.monitoring_v1_messages', 'Dashboard'],
  ['logging/metrics/*.yaml', 'logging.v2.logging_v2_messages', 'LogMetric'],
  ['iam/*.yaml', 'iam.v1.iam_v1_messages', 'Role'],
  ['image/cloudbuild.yaml', 'cloudbuild.v1.cloudbuild_v1_messages', 'Build'],
] as const;

/** @returns the path of each field or enum value that the definitions of the messages do not have */
function unrecognized(messages: readonly object[]): string[] {
  const words = ['test/deploy/unrecognized.py', join(realpathSync(GCLOUD), '../..')];
  const input = JSON.stringify(messages);
  const output = execFileSync('python3', words, { cwd: ROOT, input, encoding: 'utf8' });
  return output.split('\n').filter(Boolean);
}

test.skipIf(!GCLOUD)('each file has only fields and values that its message defines', () => {
  const messages = MESSAGES.flatMap(([files, module, message]) => {
    const found = filesOf(`deploy/${files}`);
    expect(found).not.toEqual([]);
    return found.map((file) => ({ module, message, body: parse(textOf(file)) }));
  });
  expect(unrecognized(messages)).toEqual([]);
  const misspelt = messages.map((one) => ({ ...one, body: { ...one.body, displayname: 1 } }));
  expect(unrecognized(misspelt)).toEqual(messages.map(({ message }) => `${message}.displayname`));
});
