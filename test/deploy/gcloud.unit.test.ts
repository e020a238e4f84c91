// Checks every gcloud command with gcloud's own parser, and every file that gcloud sends to Google with gcloud's own
// definitions of Google's messages. Neither needs a network. The values of options are checked only where gcloud does.

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { dryRun } from './applyScript.ts';
import { documentedCommands } from './documents.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const hasGcloud = !spawnSync('gcloud', ['--version']).error;
const folder = temporaryFolder();

/** Replaces a file of options with its content, which the parser would not read. */
const withFlags = (command: string): string =>
  command.replace(/--flags-file (jobs\/\S+)/, (_, file: string) =>
    Object.entries<unknown>(parse(readFileSync(DEPLOY + file, 'utf8')))
      .map(([flag, value]) => (value === null ? flag : `${flag}='${[value].flat().join(',')}'`))
      .join(' '),
  );

const results = z.array(
  z.object({
    command_string: z.string(),
    success: z.boolean(),
    error_message: z.string().nullable(),
  }),
);

/** @returns what gcloud's parser says about each command that it refuses */
function refusals(lines: readonly string[]): string[] {
  const commands = lines
    .flatMap((line) => line.match(/\bgcloud (?:\\.|'[^']*'|"[^"]*"|[^\\'"|;&])*/g) ?? [])
    .map((command) => withFlags(command.replaceAll(/\bID\b/g, 'acme-poh')));
  const file = join(folder, 'commands.json');
  writeFileSync(file, JSON.stringify(commands.map((command_string) => ({ command_string }))));
  const words = ['meta', 'lint-gcloud-commands', `--commands-file=${file}`];
  const output = execFileSync('gcloud', words, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return results
    .parse(JSON.parse(output))
    .filter(({ success }) => !success)
    .map(({ command_string, error_message }) => `${command_string}: ${error_message}`);
}

const MISSPELT = 'gcloud run services update poh --projct acme-poh';

test.skipIf(!hasGcloud)(
  'gcloud accepts every command of the documents and of apply.sh',
  async () => {
    const commands = [...documentedCommands(), ...(await dryRun())];
    expect(refusals([...commands, MISSPELT])).toEqual([
      expect.stringContaining("did you mean '--project'"),
    ]);
  },
  300_000,
);

/** The files, with the module and the name of their message. */
const MESSAGES = [
  ['alerts/*.yaml', 'monitoring.v3.monitoring_v3_messages', 'AlertPolicy'],
  ['dashboard.yaml', 'monitoring.v1.monitoring_v1_messages', 'Dashboard'],
  ['logging/metrics/*.yaml', 'logging.v2.logging_v2_messages', 'LogMetric'],
  ['iam/*.yaml', 'iam.v1.iam_v1_messages', 'Role'],
  ['image/cloudbuild.yaml', 'cloudbuild.v1.cloudbuild_v1_messages', 'Build'],
] as const;

interface Message {
  readonly module: string;
  readonly message: string;
  readonly body: object;
}

/** @returns the path of each field or enum value that the definitions do not have */
function unrecognized(messages: readonly Message[]): string[] {
  const info = ['info', '--format', 'value(basic.python_location,installation.sdk_root)'];
  const [python = '', sdk = ''] = execFileSync('gcloud', info, { encoding: 'utf8' })
    .trim()
    .split('\t');
  const script = fileURLToPath(new URL('unrecognized.py', import.meta.url));
  const input = messages.map((one) => JSON.stringify(one)).join('\n');
  return execFileSync(python, [script, sdk], { input, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

test.skipIf(!hasGcloud)('each file has only fields and values that its message defines', () => {
  const messages = MESSAGES.flatMap(([files, module, message]) =>
    globSync(DEPLOY + files).map(
      (file): Message => ({ module, message, body: parse(readFileSync(file, 'utf8')) }),
    ),
  );
  expect(new Set(messages.map(({ message }) => message)).size).toBe(MESSAGES.length);
  expect(unrecognized(messages)).toEqual([]);
  const misspelt = messages.map((one) => ({ ...one, body: { ...one.body, displayname: 1 } }));
  expect(unrecognized(misspelt)).toEqual(messages.map(({ message }) => `${message}.displayname`));
});
