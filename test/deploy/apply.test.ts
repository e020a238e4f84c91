// Runs deploy/apply.sh with the real gcloud against a double of Google, which refuses what Google refuses.

import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { unrecognizedFields } from '../../tools/doubles/deployment/messages.ts';
import { type GoogleProject, startGoogleProject } from '../../tools/doubles/deployment/project.ts';
import { Store } from '../../tools/doubles/deployment/store.ts';
import { servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { seedKey } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { hasGcloud, isInstalled } from './checkout.ts';
import { documentedCommand, documentedCommands } from './documents.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ID = 'acme-poh';
const P = `projects/${ID}`;
const FIRST = 'For the first time';
const PROGRAM = 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv';
const SITE = `${ID}-attestations.web.app`;
const ALL = [
  '--project',
  ID,
  '--alert-email',
  'ops@example.com',
  '--program',
  PROGRAM,
  '--site',
  SITE,
];

/** What the operator enters. */
const RPC_URL = 'https://rpc.example/a-key';

async function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
  return promisify(execFile)(program, words, options).then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code, output: `${stdout}${stderr}` }),
  );
}
const apply = (words: readonly string[], env?: NodeJS.ProcessEnv) =>
  run('deploy/apply.sh', words, env);

/** The names of a project's resources, except those that every run creates anew, and the IAM policies. */
const contentOf = ({ resources, policies }: Store) => ({
  names: [...resources.keys()].filter((name) => !/^images\/|\/operations\//.test(name)),
  policies: Object.fromEntries(policies),
});
/** Unrelated resources, each with a name that contains one of ours. */
const OTHER_RESOURCES = {
  [`${P}/locations/us-central1/repositories/poh-images`]: { format: 'DOCKER' },
  [`${P}/serviceAccounts/poh-lookup-old@${ID}.iam.gserviceaccount.com`]: {},
  [`${P}/roles/pohKeyAdminOld`]: { title: 'Old' },
  [`${P}/metrics/poh-lookups-old`]: { filter: 'x' },
  [`${P}/locations/us-central1/jobs/old-poh-audit`]: { schedule: '0 0 * * *' },
  [`${P}/notificationChannels/7`]: {
    type: 'email',
    labels: { email_address: 'other-ops@example.com' },
  },
  [`${P}/alertPolicies/7`]: {
    displayName: 'PoH: server errors, old',
    combiner: 'OR',
    conditions: [],
  },
  [`${P}/dashboards/7`]: { displayName: 'PoH attestations (old)' },
};

const folder = temporaryFolder();
const uptimeSchema = z.object({
  httpCheck: z.looseObject({
    path: z.string(),
    headers: z.object({ 'X-PoH-API-Key': z.string() }),
    maskHeaders: z.literal(true),
    acceptedResponseStatusCodes: z.tuple([z.object({ statusValue: z.literal(200) })]),
  }),
});

describe.skipIf(!hasGcloud)('with gcloud', () => {
  let project: GoogleProject;
  const ours = (collection: string) =>
    project.store.names(collection).filter((name) => !Object.hasOwn(OTHER_RESOURCES, name));
  const policies = () => ours('alertPolicies');
  const uptimeCheck = () =>
    uptimeSchema.parse(project.store.resources.get(ours('uptimeCheckConfigs')[0] ?? '')).httpCheck;
  const channelsOf = (name: string) => project.store.resources.get(name)?.['notificationChannels'];

  beforeAll(async () => {
    project = await startGoogleProject(ID);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  test('asks for a location if there is no database', async () => {
    const { status, output } = await apply(ALL, project.env);
    expect(output).toContain('Choose one with --firestore-location');
    expect(status).toBe(1);
  });

  test('applies everything as documented, and does not touch resources with similar names', async () => {
    for (const [name, resource] of Object.entries(OTHER_RESOURCES))
      project.store.put(name, resource);
    const before = new Map(project.store.resources);
    const [, first = ''] = documentedCommands(FIRST, ID).filter((line) =>
      line.startsWith('deploy/apply.sh'),
    );
    const [uptimeOptions = ''] =
      /--site .*/.exec(documentedCommand(FIRST, '--uptime-key-file', ID)) ?? [];
    const key = await seedKey();
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
    for (const command of [
      documentedCommand(FIRST, 'poh-rpc-url', ID),
      `${first} --program ${PROGRAM} ${uptimeOptions.replace('~/.poh-uptime-key', keyFile)}`,
    ]) {
      const { status, output } = await run(
        'bash',
        ['-c', `{ ${command}; } <<< ${RPC_URL}`],
        project.env,
      );
      expect(status, output).toBe(0);
      expect(output).not.toContain(key);
    }
    const logs = globSync(`${project.env['CLOUDSDK_CONFIG']}/logs/**/*.log`).map((file) =>
      readFileSync(file, 'utf8'),
    );
    expect(logs.join('\n')).toContain('poh-rpc-url');
    expect(logs.join('\n')).not.toMatch(new RegExp(`${key}|${RPC_URL}`));
    const { store } = project;
    const filesIn = (folder: string) => readdirSync(`${ROOT}deploy/${folder}`).length;
    for (const [collection, count] of [
      ['alertPolicies', filesIn('alerts')],
      ['metrics', filesIn('logging/metrics')],
      ['serviceAccounts', 6],
      ['roles', 2],
      ['repositories', 1],
      ['databases', 1],
      ['backupSchedules', 1],
      ['notificationChannels', 1],
      ['uptimeCheckConfigs', 1],
      ['dashboards', 1],
      // Two jobs of Cloud Run and two of Cloud Scheduler.
      ['jobs', 4],
    ] as const) {
      expect(ours(collection), collection).toHaveLength(count);
    }
    // The request log has subjects. It and the backups are missed only when it is too late.
    const stored = (name = '') => store.resources.get(name);
    expect(stored(`${P}/sinks/_Default`)?.['exclusions']).toContainEqual({
      name: 'poh-request-urls',
      filter: expect.stringContaining('AND log_id("run.googleapis.com/requests")'),
    });
    expect(stored(`${P}/databases/(default)`)).toMatchObject({
      deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
      pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
    });
    const fourWeeks = { dailyRecurrence: {}, retention: '2419200s' };
    expect(stored(ours('backupSchedules')[0])).toMatchObject(fourWeeks);
    const granted = [...store.policies].flatMap(([name, { bindings }]) =>
      name === P ? [] : bindings.map(({ role }) => role),
    );
    const perJob = 'roles/run.invoker';
    expect(granted).toEqual([perJob, 'roles/secretmanager.secretAccessor', perJob]);
    // Without the grant, Google cannot build the function.
    const name = `${P}/locations/us-central1/functions/pohAttestationsEndpoint`;
    expect(new Store().put(name, {})).toMatchObject({ status: 400 });
    expect(store.put(name, { serviceConfig: {} })).not.toHaveProperty('status');
    store.resources.delete(name);
    for (const name of Object.keys(OTHER_RESOURCES)) {
      expect(store.resources.get(name), name).toEqual(before.get(name));
    }
    const [check = ''] = ours('uptimeCheckConfigs');
    const { path, headers } = uptimeCheck();
    expect(await send(servedUrl, { key: headers['X-PoH-API-Key'], target: path })).toMatchObject({
      status: 200,
      json: { count: 0 },
    });
    const watched = JSON.stringify(policies().map((name) => store.resources.get(name)));
    expect(watched).toContain(`check_id=\\"${check.split('/').at(-1)}\\"`);
  });

  test('sends Google only fields and values that its messages define', async () => {
    expect(unrecognizedFields(project.calls)).toEqual([]);
    const misspelt = { ...project.calls.find(({ path }) => path.endsWith('/alertPolicies')) };
    expect(
      unrecognizedFields([
        {
          what: 'POST monitoring.googleapis.com/v3/projects/p/alertPolicies',
          body: { ...Object(misspelt.body), displayname: 1 },
        },
      ]),
    ).toEqual(['AlertPolicy.displayname']);
  });

  test('changes nothing when it is run again, and keeps changes made by hand', async () => {
    const { store } = project;
    const [disabledPolicy = '', policyWithPager = ''] = policies();
    store.resources.set(`${P}/notificationChannels/pager`, {
      name: `${P}/notificationChannels/pager`,
      type: 'pagerduty',
    });
    store.put(disabledPolicy, { ...store.resources.get(disabledPolicy), enabled: false });
    const [channel = ''] = ours('notificationChannels');
    store.put(policyWithPager, {
      ...store.resources.get(policyWithPager),
      notificationChannels: [`${P}/notificationChannels/pager`],
    });
    store.put(`${P}/databases/(default)/backupSchedules/weekly`, {
      weeklyRecurrence: { day: 'MONDAY' },
      retention: '604800s',
    });
    const before = contentOf(store);
    const checkBefore = uptimeCheck();
    const { status, output } = await apply(ALL, project.env);
    expect(status, output).toBe(0);
    expect(contentOf(store)).toEqual(before);
    // With its key, which Google masks.
    expect(uptimeCheck()).toEqual(checkBefore);
    expect(store.resources.get(disabledPolicy)).toMatchObject({ enabled: false });
    expect(channelsOf(policyWithPager)).toEqual([`${P}/notificationChannels/pager`, channel]);
    expect(channelsOf(disabledPolicy)).toEqual([channel]);
  });

  test('stops at a refusal, prints its cause and says what to do', async () => {
    project.refuse(/^GET iam.*\/serviceAccounts$/);
    const { status, output } = await apply(ALL, project.env);
    expect(output).toContain('The caller lacks a permission.');
    expect(output).toMatch(
      /Stopped: the last command ended with status 1\.\n.*run the same command again/,
    );
    expect(status).toBe(1);
  });
});

test('a dry run prints every command for all files of deploy/, and runs none', async () => {
  const { status, output } = await apply([...ALL, '--firestore-location', 'nam5', '--dry-run'], {
    // Without its configuration, gcloud would fail if it were run.
    CLOUDSDK_CONFIG: '/nonexistent',
  });
  expect(status).toBe(0);
  expect(output).toContain('Dry run: no command was run.');
  for (const folder of ['alerts/', 'iam/', 'jobs/', 'logging/metrics/']) {
    for (const name of readdirSync(`${ROOT}deploy/${folder}`).filter((file) =>
      /\.yaml$/.test(file),
    )) {
      expect(output).toContain(folder + name);
    }
  }
});

test('without --program and --site it says what it skips', async () => {
  const { output } = await apply([...ALL.slice(0, 4), '--dry-run']);
  expect(output).toContain(
    'Skipped. Give the attestation program with --program to schedule the audit.',
  );
  expect(output).toContain(
    'Skipped. Once the function is deployed, give the Hosting address with --site HOST.',
  );
  expect(output).not.toContain('jobs/poh-audit.yaml');
  expect(output).not.toContain('alerts/unreachable.yaml');
});

test.each([
  [[], 'Give the id of the project: --project ID.'],
  [['--project', 'Acme DAO'], 'Give the id of the project: --project ID.'],
  [ALL.slice(0, 2), 'Give one e-mail address for the alerts: --alert-email ADDRESS.'],
  [[...ALL, '--program', `${PROGRAM},X=1`], 'Give the address of the program'],
  [[...ALL, '--site', `https://${SITE}`], 'Give the host of the Hosting site, without https://'],
  [[...ALL, '--uptime-key-file', '/nonexistent'], 'There is no API key in /nonexistent.'],
  [[...ALL, '--region', 'us-central1,europe-west1'], 'Give one region'],
  [['--project'], 'The option --project needs a value.'],
  [['--dryrun'], 'Unknown option --dryrun.'],
])('%j: %s', async (words, sentence) => {
  const { status, output } = await apply(words);
  expect(output.split('\n')[0]).toContain(sentence);
  expect(status).toBe(2);
});

test.skipIf(!isInstalled('shellcheck'))('shellcheck reports no problems', async () => {
  const files = ['deploy/apply.sh', 'deploy/image/audit.sh', '.ci/run'];
  expect(await run('shellcheck', ['-x', '-a', ...files])).toEqual({ status: 0, output: '' });
});
