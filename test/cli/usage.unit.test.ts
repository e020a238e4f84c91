// Tests the messages about wrong command lines, before any database is reached.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { chooseProject } from '../../cli/frame/target.ts';
import { DEMONSTRATION_PROGRAM } from '../../contract/examples.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { PROJECT_RULE } from '../../records/project.ts';
import { commandsOf, expectOk, runAdmin } from './adminCommand.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const ID_RULE = 'An id is 12 or more hex digits in lower case, as `keys list` shows it.';
const ADDRESS_RULE = 'An address is 32 bytes in base58. Check it.';
const TOKEN_RULE = 'Give exactly one of a token, --wallet and --uid.';
const TIME_RULE = 'is invalid. Write it in the form 2026-11-20T09:00:00Z.';

test.each([
  ['', 'Usage: npm run -s admin -- [options] [command]'],
  ['kesy', "unknown command 'kesy'\n(Did you mean keys?)"],
  ['keys list --jsn', "unknown option '--jsn'\n(Did you mean --json?)\nAdd --help to see how"],
  ['keys list x', "too many arguments for 'list'"],
  ['keys create', "required option '--project <name>' not specified"],
  ['keys create --project --json', PROJECT_RULE],
  ['keys create --project \u2003', PROJECT_RULE],
  ['keys create --project A --modes wallet phone', 'Allowed choices are wallet, email, token.'],
  ['keys create --project A --ends soon', TIME_RULE],
  ['keys create --project A --reads-per-second 0', 'It must be a whole number, and at least 1.'],
  ['keys create --project A --reads-per-second 1.5', 'It must be a whole number, and at least 1.'],
  ['keys create --project A', 'Say with --modes what the key may look up by'],
  ['keys change 0123456789ab', 'Say what to change: --contact, --modes, --ends or'],
  ['admins grant a@b.c --sign-in a b', 'too many arguments'],
  ['admins grant a@b.c --sign-in @', 'A provider is written like google.com'],
  ['keys revoke 0123456789a', ID_RULE],
  ['keys rotate 0123456789AB', ID_RULE],
  // The time zone is missing.
  ['signing-keys compromise x --since 2026-11-20T09:00:00', TIME_RULE],
  ['tokens list --wallet x', ADDRESS_RULE],
  ['tokens revoke', TOKEN_RULE],
  ['tokens revoke --uid EMPTY', 'The uid is empty.'],
  [`tokens revoke ${randomUUID()} --uid y`, TOKEN_RULE],
  ['tokens revoke --wallet x', ADDRESS_RULE],
  ['tokens revoke x', 'A token is a UUID of 32 hex digits in five groups.'],
  ['users link-wallet a@b.c a-secret', ADDRESS_RULE],
  ['attestations audit --rpc wss://127.0.0.1/a-secret', '--rpc must be an http or https address.'],
  ['attestations audit --rpc http://a-secret@127.0.0.1', 'not contain a user name or a password.'],
  ['attestations audit --rpc http://:a-secret@127.0.0.1', 'a user name or a password.'],
  // The key would be sent without TLS.
  ['smoke --url http://localhost.example', 'http://localhost.example must begin with https://'],
  ['smoke --url http://notlocalhost', 'http://notlocalhost must begin with https://'],
  ['smoke --url https://a --key-file /nowhere', '/nowhere cannot be read. Check its name'],
  // This file has a-secret, but is not a key.
  [`smoke --url https://a --key-file ${import.meta.filename}`, 'is not one key on one line.\n'],
  ['attestations audit --program 0OIl', ADDRESS_RULE],
  ['attestations audit --wallet abc', ADDRESS_RULE],
  ['attestations audit --rpc R --program P --both-ways --wallet P', 'cannot be used with'],
])('%s: %s', async (line, sentence) => {
  const values: Record<string, string> = {
    ...{ R: 'http://127.0.0.1:1', P: DEMONSTRATION_PROGRAM, EMPTY: '' },
  };
  const words = line.split(' ').flatMap((word) => (word === '' ? [] : [values[word] ?? word]));
  const { status, stdout, stderr } = await runAdmin(words);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('a-secret');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});

test.each([
  ['BADkeys'],
  ['keys', 'BADlist'],
  ['keys', 'list', '--BAD'],
  ['--firebase-project', 'BAD', 'keys', 'list'],
  ['smoke', '--url', 'BAD'],
  ['smoke', '--url', 'https://a', '--key-file', 'BAD'],
  ['signing-keys', 'retire', 'BAD'],
  ['signing-keys', 'create', '--keys', 'BAD'],
])('an argument that is repeated is escaped: %s %s %s', async (...words) => {
  const bad = 'a\u001b[2J\u202e';
  const { status, stderr } = await runAdmin(words.map((word) => word.replace('BAD', bad)));
  expect(stderr).toContain(String.raw`a\u{1b}[2J\u{202e}`);
  for (const one of bad.slice(1)) if (one < ' ' || one > '~') expect(stderr).not.toContain(one);
  expect(status).not.toBe(0);
});

test('a key that was given in place of its id is not repeated', async () => {
  const key = newApiKey(randomBytes);
  const { status, stderr } = await runAdmin(['keys', 'revoke', key]);
  expect(stderr).toMatch(/^That is the key itself\. Its id is [0-9a-f]{12}\.\n$/);
  expect(stderr).not.toContain(key);
  expect(status).toBe(2);
});

const emulator = '127.0.0.1:8080';
const EMULATORS = {
  FIRESTORE_EMULATOR_HOST: emulator,
  FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099',
};

test.each([
  ['the option', 'poh-a1', { GOOGLE_CLOUD_PROJECT: 'b' }, 'poh-a1'],
  ['GOOGLE_CLOUD_PROJECT', undefined, { GOOGLE_CLOUD_PROJECT: 'poh-b1' }],
  ['the default of the emulators', undefined, EMULATORS, 'demo-poh'],
  ['another one in the emulators', 'demo-a', EMULATORS, 'demo-a'],
])('the Firebase project is that of %s', (_, firebaseProject, env, id = 'poh-b1') => {
  const options = firebaseProject === undefined ? {} : { firebaseProject };
  const expected = { id, emulator: env === EMULATORS ? emulator : undefined };
  expect(chooseProject(options, env)).toEqual(expected);
});

const REQUIRED = 'Name the Firebase project with --firebase-project or GOOGLE_CLOUD_PROJECT';

test.each([
  ['no name', undefined, {}, REQUIRED],
  ['empty variables', '', { GOOGLE_CLOUD_PROJECT: '', FIRESTORE_EMULATOR_HOST: '' }, REQUIRED],
  ['only Firestore', 'poh-a1', { FIRESTORE_EMULATOR_HOST: emulator }, 'Only FIRESTORE_'],
  ['only Authentication', 'poh-a1', { FIREBASE_AUTH_EMULATOR_HOST: emulator }, 'Only FIREBASE_'],
  ['an empty option', '', { ...EMULATORS, GOOGLE_CLOUD_PROJECT: 'b' }, REQUIRED],
  ['a project in production with emulators', 'poh-a1', EMULATORS, 'is not in the emulators'],
  ["the emulators' project without emulators", 'demo-poh', {}, 'exists only in the emulators'],
])('%s does not name a Firebase project', (_, firebaseProject, env, message) => {
  const options = firebaseProject === undefined ? {} : { firebaseProject };
  expect(() => chooseProject(options, env)).toThrow(
    expect.objectContaining({ exitStatus: 2, message: expect.stringContaining(message) }),
  );
});

test.each(commandsOf())(
  'the help of %s marks what is required, and what it uses',
  async (name, { options }) => {
    const stdout = expectOk(await runAdmin([...name.split(' '), '--help']));
    const required = options.filter(({ mandatory }) => mandatory);
    expect(stdout.match(/\(required\)/g) ?? []).toHaveLength(required.length);
    const [, words = ''] = /^ {2}npm run -s admin -- (.*)$/m.exec(stdout) ?? [];
    expect(words).toMatch(new RegExp(`^${name}\\b`));
    for (const [flag] of words.matchAll(/--[a-z-]+/g)) {
      const isFlag = options.some(({ long }) => long === flag);
      expect(isFlag, flag).toBe(true);
    }
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    for (const one of ['--firebase-project', '--yes', '--verbose']) expect(stdout).toContain(one);
  },
);
