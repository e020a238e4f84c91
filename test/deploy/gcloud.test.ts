// Checks every gcloud command with gcloud's own parser, and every request to Google with gcloud's own definitions of Google's
// interfaces. Neither needs a network. The values of options are checked only where gcloud does.

import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { filesOf, ROOT, textOf } from './repository.ts';
import { runOn, SETTINGS, StandIn } from './standIn.ts';

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

/** A project on which everything was made, then changed, moved, tried and drilled. */
const cloud = new StandIn({ ...SETTINGS, github: 'acme/poh', canaryEmail: 'canary@example.com' });
cloud.things.set('secretmanager/v1/secrets/poh-rpc-url', { name: 'poh-rpc-url' });
await runOn(cloud);
const created = cloud.calls.length;
cloud.strip();
expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
expect(cloud.calls.length).toBeGreaterThan(created + 30);
for (const words of [['trial'], ['back', '--to', cloud.revision()], ['drill']])
  await runOn(cloud, ...words);
cloud.writeSettings({ ...SETTINGS, region: 'europe-west1' });
await runOn(cloud);

const quoted = (word: string): string => (/^[\w@.:/=-]+$/.test(word) ? word : `'${word}'`);

test.skipIf(!GCLOUD)(
  'gcloud accepts every command of the documents and of the program',
  async () => {
    const misspelt = 'gcloud run services update poh --projct acme-poh';
    const own = cloud.commands.map((words) => ['gcloud', ...words.map(quoted)].join(' '));
    const found = [...documentedCommands(), ...own, misspelt]
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

/** @returns what gcloud's definitions do not have */
function unknown(requests: readonly object[]): string[] {
  const words = ['test/deploy/requests.py', join(realpathSync(GCLOUD), '../..')];
  const input = JSON.stringify(requests);
  const output = execFileSync('python3', words, { cwd: ROOT, input, encoding: 'utf8' });
  return output.split('\n').filter(Boolean);
}

/** gcloud has no definitions of these interfaces. */
const FIREBASE = /\/\/(identitytoolkit|firebase\w*)\./;

test.skipIf(!GCLOUD)(
  'each request is one that Google has, with only fields that it defines',
  () => {
    const build = parse(textOf('deploy/image/cloudbuild.yaml'));
    const url = 'https://cloudbuild.googleapis.com/v1/projects/acme-poh/builds';
    const requests = [...cloud.requests, { method: 'POST', url, body: build }].filter(
      (one) => !FIREBASE.test(one.url),
    );
    const changes = requests.filter(({ method }) => method !== 'GET');
    expect(changes.length).toBeGreaterThan(50);
    // Newer than gcloud 528, and the reason why no command sets it (firebase.google.com/docs/firestore/ttl).
    const newer = 'GoogleFirestoreAdminV1Field.ttlConfig.expirationOffset';
    expect([...new Set(unknown(requests))]).toEqual([newer]);
    const written = changes.filter(({ method }) => /^P(ATCH|UT)$/.test(method));
    const misspelt = written.map((one) => ({ ...one, body: { ...Object(one.body), nme: 1 } }));
    expect(unknown(misspelt).filter((one) => one.endsWith('.nme'))).toHaveLength(written.length);
  },
);
