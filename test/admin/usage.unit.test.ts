// Tests the messages about wrong command lines, before any database is reached.

import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { failureOf } from '../../admin/frame/program.ts';
import { chooseProject } from '../../admin/frame/target.ts';
import { assembleProgram } from '../../admin/groups.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { PROJECT_RULE } from '../../records/project.ts';
import { randomAddress } from '../../tools/sandbox/random.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function failure(words: readonly string[]) {
  try {
    await assembleProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    return failureOf(error);
  }
  throw new Error('the command line was accepted');
}

test.each([
  [
    [],
    'Name a command (admins, attestations, keys, responses, signing-keys, smoke, tokens, users), or add --help.',
  ],
  [['keys'], 'Name a command (create, list, rotate, revoke, revoke-again, usage), or add --help.'],
  [
    ['help', 'nothing'],
    'Name a command (admins, attestations, keys, responses, signing-keys, smoke, tokens, users), or add --help.',
  ],
  [['kesy'], "Unknown command 'kesy' (did you mean keys?)."],
  [['keys', 'lst'], "Unknown command 'lst' (did you mean list?)."],
  [['keys', 'list', '--jsn'], "Unknown option '--jsn' (did you mean --json?)."],
  [['keys', 'create', '--projct', 'A'], "Unknown option '--projct' (did you mean --project?)."],
  [['keys', 'create', '--name', 'A'], "Unknown option '--name' (add --help to see the options)."],
  [
    ['help', 'keys', 'nothing'],
    'Name a command (create, list, rotate, revoke, revoke-again, usage), or add --help.',
  ],
  [['keys', 'list', 'x'], "Too many arguments for 'list', expected 0 arguments but got 1: x."],
  [['keys', 'create'], "Required option '--project <name>' not specified."],
  [['keys', 'create', '--project'], "Option '--project <name>' argument missing."],
  [['keys', 'create', '--project', '--json'], "Option '--project <name>' argument missing."],
  [
    ['keys', 'list', '--firebase-project', '--json'],
    "Option '--firebase-project <id>' argument missing.",
  ],
  [['keys', 'create', '--project', ' '], PROJECT_RULE],
  [['keys', 'create', '--project', 'a\nb'], PROJECT_RULE],
  [['keys', 'create', '--project', 'a\u202eb'], PROJECT_RULE],
  [['admins', 'grant'], "Missing required argument 'email'."],
  [['keys', 'revoke'], "Missing required argument 'id'."],
  [
    ['keys', 'revoke', '0123456789a'],
    'An id is 12 or more hex digits in lower case, as `keys list` shows it.',
  ],
  [
    ['keys', 'rotate', '0123456789AB'],
    'An id is 12 or more hex digits in lower case, as `keys list` shows it.',
  ],
  [['signing-keys', 'compromise', 'x'], "Required option '--since <time>' not specified."],
  [
    ['signing-keys', 'compromise', 'x', '--since', 'yesterday'],
    "Option '--since <time>' argument 'yesterday' is invalid. Write it in the form 2026-11-20T09:00:00Z.",
  ],
  [
    // The time zone is missing.
    ['responses', 'verify', 'x', '--kept-since', '2026-11-20T09:00:00'],
    "Option '--kept-since <time>' argument '2026-11-20T09:00:00' is invalid. Write it in the form 2026-11-20T09:00:00Z.",
  ],
  [
    ['users'],
    'Name a command (show, link-wallet, link-wallets, unlink-wallet, forget), or add --help.',
  ],
  [['users', 'link-wallet', 'a@example.com'], "Missing required argument 'wallet'."],
  [['users', 'link-wallet', 'a@b.c', 'x'], 'The wallet is not a base58 address of 32 bytes.'],
  [
    ['users', 'link-wallets', '/nowhere.csv'],
    '/nowhere.csv cannot be read. Name a CSV file with the heading email,wallet.',
  ],
  [['tokens', 'issue', '--wallet', 'x'], 'The wallet is not a base58 address of 32 bytes.'],
  [['tokens', 'list', '--wallet', 'x'], 'The wallet is not a base58 address of 32 bytes.'],
  [['tokens', 'revoke'], 'Give exactly one of a token, --wallet and --uid.'],
  [['tokens', 'revoke', 'x', '--uid', 'y'], 'Give exactly one of a token, --wallet and --uid.'],
  [['tokens', 'revoke', '--wallet', 'x'], 'The wallet is not a base58 address of 32 bytes.'],
  [['tokens', 'revoke', 'x'], 'A token is a UUID of 32 hex digits in five groups.'],
])('%j: %s', async (words, sentence) => {
  const { message, exitStatus } = await failure(words);
  expect(message).toBe(sentence);
  expect(exitStatus).toBe(2);
});

test.each(['revoke', 'rotate'])(
  'keys %s does not repeat a key that was given in place of its id',
  async (verb) => {
    const key = newApiKey(randomBytes);
    const { message, exitStatus } = await failure(['keys', verb, key]);
    expect(message).toMatch(/^That is the key itself\. Its id is [0-9a-f]{12}\.$/);
    expect(message).not.toContain(key);
    expect(exitStatus).toBe(2);
  },
);

test.each([[], ['keys'], ['keys', 'create'], ['keys', 'revoke'], ['tokens'], ['tokens', 'purge']])(
  'the help of %j %s shows its usage and the global options',
  (...words) => {
    const [group, name] = words;
    const program = assembleProgram();
    const found = program.commands.find((one) => one.name() === group) ?? program;
    const command = found.commands.find((one) => one.name() === name) ?? found;
    const help = command.helpInformation();
    expect(help).toContain(`Usage: ${['npm run -s admin --', ...words].join(' ')} `);
    for (const option of ['--firebase-project', '--yes', '--verbose', '--help']) {
      expect(help).toContain(option);
    }
  },
);

test('help shows the help of a command in a group', async () => {
  const shown: string[] = [];
  const program = assembleProgram();
  const revoke = program.commands
    .find((group) => group.name() === 'keys')
    ?.commands.find((command) => command.name() === 'revoke');
  revoke?.configureOutput({ writeOut: (text) => shown.push(text) });
  await expect(
    program.parseAsync(['help', 'keys', 'revoke'], { from: 'user' }),
  ).rejects.toMatchObject({ exitCode: 0 });
  expect(shown.join('')).toContain('Usage: npm run -s admin -- keys revoke');
});

describe('the Firebase project', () => {
  const FIRESTORE_EMULATOR_HOST = '127.0.0.1:8080';
  const emulator = FIRESTORE_EMULATOR_HOST;

  test.each([
    [
      'that of the option',
      { firebaseProject: 'poh-a1' },
      { GOOGLE_CLOUD_PROJECT: 'b' },
      { id: 'poh-a1' },
    ],
    [
      'that of GOOGLE_CLOUD_PROJECT',
      {},
      { GOOGLE_CLOUD_PROJECT: 'poh-b1', GCLOUD_PROJECT: 'c' },
      { id: 'poh-b1' },
    ],
    ['that of GCLOUD_PROJECT', {}, { GCLOUD_PROJECT: 'poh-c1' }, { id: 'poh-c1' }],
    [
      "the emulators' project by default",
      {},
      { FIRESTORE_EMULATOR_HOST },
      { id: 'demo-poh', emulator },
    ],
    [
      'another project in the emulators',
      { firebaseProject: 'demo-a' },
      { FIRESTORE_EMULATOR_HOST },
      { id: 'demo-a', emulator },
    ],
  ])('is %s', (_, options, env, project) => {
    expect(chooseProject(options, env)).toEqual(project);
  });

  test.each([
    ['none is named', {}],
    ['the variable is empty', { GOOGLE_CLOUD_PROJECT: '', FIRESTORE_EMULATOR_HOST: '' }],
    ["the emulators' project is named outside the emulators", { GCLOUD_PROJECT: 'demo-poh' }],
  ])('is required when %s', (_, env) => {
    expect(() => chooseProject({}, env)).toThrow(
      expect.objectContaining({
        exitStatus: 2,
        message: expect.stringMatching(/--firebase-project/),
      }),
    );
  });
});

test.each([
  ['a name', 'My Proj', {}],
  ['a number', '123456789012', {}],
  ['an option', '-x-project', {}],
  ['a name, with the emulators', 'My Proj', { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' }],
])('a Firebase project is named by its id, not by %s', (_, firebaseProject, env) => {
  expect(() => chooseProject({ firebaseProject }, env)).toThrow(/`gcloud projects list` shows it/);
  expect(() => chooseProject({}, { ...env, GOOGLE_CLOUD_PROJECT: firebaseProject })).toThrow(
    /`gcloud projects list` shows it/,
  );
});

test.each(['poh-production', 'example.com:poh-app'])('%s is the id of a project', (id) => {
  expect(chooseProject({ firebaseProject: id }, {})).toEqual({ id, emulator: undefined });
});

test('an empty --firebase-project does not fall back to another project', () => {
  const env = { GOOGLE_CLOUD_PROJECT: 'b', FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' };
  expect(() => chooseProject({ firebaseProject: '' }, env)).toThrow(/--firebase-project is empty/);
});

test('a production project is not changed without a terminal for the confirmation', async () => {
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', '');
  const production = ['--firebase-project', 'poh-production'];
  const changes = [
    ['keys', 'create', '--project', 'Acme DAO'],
    ['keys', 'rotate', '0123456789ab'],
    ['keys', 'revoke', '0123456789ab'],
    ['admins', 'grant', 'a@example.com'],
    ['admins', 'revoke', 'a@example.com'],
    ['tokens', 'issue', '--wallet', randomAddress()],
    ['tokens', 'revoke', '6f1f3c1e-2b7a-4a43-9d52-0c1a5f6b7e01'],
    ['tokens', 'revoke', '--uid', 'a'],
    ['tokens', 'purge'],
    ['attestations', 'restore', 'a.jsonl', '--apply'],
    [
      ...['attestations', 'repair', '--rpc', 'http://127.0.0.1:1', '--program', randomAddress()],
      ...['--ready-to-confirm', '--apply'],
    ],
  ];
  const failures = await Promise.all(changes.map((words) => failure([...words, ...production])));
  for (const { message, exitStatus } of failures) {
    expect(message).toBe(
      'A confirmation needs a terminal. Add --yes to change a production project without one.',
    );
    expect(exitStatus).toBe(2);
  }
});
