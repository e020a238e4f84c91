// Checks every gcloud command with gcloud's own parser, and every file that gcloud sends to Google with gcloud's own
// definitions of Google's messages. Neither needs a network. The values of options are checked only where gcloud does.

import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTable } from '../../deploy/state.ts';
import { wordsOf } from '../../deploy/words.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { filesOf, ROOT, textOf } from './repository.ts';
import { PROJECT, runOn, SETTINGS, StandIn } from './standIn.ts';

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

/** The commands of a first deployment, and of one that changes everything that there is. */
async function programCommands(): Promise<string[]> {
  const cloud = new StandIn({ ...SETTINGS, github: 'acme/poh' });
  cloud.things.set('secretmanager/v1/secrets/poh-rpc-url', { name: 'poh-rpc-url' });
  await runOn(cloud);
  const created = cloud.calls.length;
  cloud.spoil();
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(cloud.calls.length).toBeGreaterThan(created + 30);
  for (const words of [['trial'], ['back', '--to', 'x']]) await runOn(cloud, ...words);
  await runOn(cloud.move('europe-west1'));
  return cloud.lines;
}

test.skipIf(!GCLOUD)(
  'gcloud accepts every command of the documents and of the program',
  async () => {
    const misspelt = 'gcloud run services update poh --projct acme-poh';
    const found = [...documentedCommands(), ...(await programCommands()), misspelt]
      .flatMap((line) => line.match(/\bgcloud (?:\\.|'[^']*'|"[^"]*"|[^\\'"|;&])*/g) ?? [])
      .map((command) => command.replaceAll(/\bID\b/g, 'acme-poh'));
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
  },
);

/** The files, with the module and the name of their message. */
const MESSAGES = [
  ['alerts/*.yaml', 'monitoring.v3.monitoring_v3_messages', 'AlertPolicy'],
  ['dashboard.yaml', 'monitoring.v1.monitoring_v1_messages', 'Dashboard'],
  ['logging/metrics/*.yaml', 'logging.v2.logging_v2_messages', 'LogMetric'],
  ['image/cloudbuild.yaml', 'cloudbuild.v1.cloudbuild_v1_messages', 'Build'],
] as const;

const { before } = readTable(wordsOf(PROJECT, SETTINGS, undefined));
const wantOf = (what: RegExp) => before.find((entry) => what.test(entry.what))?.want;
/** What the program sends or compares itself. */
const requests = [
  [
    'firestore.v1.firestore_v1_messages',
    'GoogleFirestoreAdminV1Field',
    wantOf(/deletion of tokens/),
  ],
  ['firestore.v1.firestore_v1_messages', 'GoogleFirestoreAdminV1Database', wantOf(/^the database/)],
  [
    'artifactregistry.v1.artifactregistry_v1_messages',
    'Repository',
    wantOf(/repository of the job/),
  ],
  ['storage.v1.storage_v1_messages', 'Bucket', wantOf(/^the bucket/)],
  ['iam.v1.iam_v1_messages', 'Role', wantOf(/^the role/)],
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
    return found.map((file) => ({
      module,
      message,
      body: parse(textOf(file).replaceAll(/\bCAP\b/g, '10')),
    }));
  });
  const sent = requests.map(([module, message, body]) => ({ module, message, body }));
  // Newer than gcloud 528, and the reason why the program sends it itself (firebase.google.com/docs/firestore/ttl).
  const newer = 'GoogleFirestoreAdminV1Field.ttlConfig.expirationOffset';
  expect(unrecognized([...messages, ...sent])).toEqual([newer]);
  const misspelt = messages.map((one) => ({ ...one, body: { ...one.body, displayname: 1 } }));
  expect(unrecognized(misspelt)).toEqual(messages.map(({ message }) => `${message}.displayname`));
});
