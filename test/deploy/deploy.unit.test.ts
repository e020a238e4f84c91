// Runs the deployment's program against a stand-in for Google and its tools.

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { Failure } from '../../cli/terminal/failure.ts';
import { DAY_MS } from '../../contract/endpoint.ts';
import { Google } from '../../deploy/google.ts';
import { prepareImage } from '../../deploy/main.ts';
import { completeSettings } from '../../deploy/settings.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { readCommit } from '../../tools/build.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ROOT } from './repository.ts';
import { FIRST_DAY, PROJECT, runOn, SETTINGS, StandIn } from './standIn.ts';

const SERVICE = 'run/v2/locations/us-central1/services/pohattestationsendpoint';
const ALERTS = 'monitoring/v3/alertPolicies/';
const RECORDS = 'firestore/v1/databases/(default)/documents/apiKeys/';
const POLICY = 'cloudresourcemanager/v1:getIamPolicy';
type Rows = readonly [string, string, string, string][];
const CASES: Readonly<Record<'waits' | 'drifts' | 'settings', Rows>> & { summary: string } = parse(
  readFileSync(new URL('cases.yaml', import.meta.url), 'utf8'),
);

const base = new StandIn(SETTINGS);
expect(await runOn(base)).toMatchObject({ status: 0 });
const checkOf = async (cloud: StandIn): Promise<{ status: number; text: string }> => {
  const { status, output } = await runOn(cloud, '--check', '--json');
  const differences: { difference: string }[] = JSON.parse(output).differences;
  return { status, text: differences.map(({ difference }) => difference).join('\n') };
};
/** A project on which everything is, with a secret for the audit. */
const deployed = (): StandIn => base.copy();
const changed = (cloud: StandIn): string[] =>
  cloud.calls.filter((call) => !/^(firebase deploy|admin smoke)/.test(call));
const pathsIn = ({ things }: StandIn, start: string): string[] =>
  [...things.keys()].filter((path) => path.startsWith(start));

test('the first day: one command asks once for each decision, makes everything, and says what is where', async () => {
  const cloud = new StandIn();
  cloud.answers = FIRST_DAY;
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  // Whether to begin, and the address of a node of the chain.
  expect(cloud.questions).toHaveLength(FIRST_DAY.length + 2);
  expect(cloud.things.has('secretmanager/v1/secrets/poh-rpc-url')).toBe(true);
  expect(cloud.interactive).toEqual([
    `gcloud secrets create poh-rpc-url --data-file=- --project ${PROJECT}`,
    `admin --firebase-project ${PROJECT} admins grant owner@example.com`,
  ]);
  expect(cloud.calls).toContain(
    `firebase deploy --only functions,firestore:rules,hosting --non-interactive --force --project ${PROJECT}`,
  );
  const said = cloud.said.join('\n');
  for (const text of ['The billing account 012345-6789AB-CDEF01 pays', 'everything in it'])
    expect(said).toContain(text);
  const summary = cloud.said.at(-1)?.trim().replace(cloud.folders.keys, '~/.poh');
  expect(summary).toBe(CASES.summary);
  // The settings are in one file, with every choice that nobody was asked for.
  const file = join(cloud.folders.settings, `${PROJECT}.yaml`);
  const later = { help: '', privacy: '', canaryWallet: '' };
  expect(parse(readFileSync(file, 'utf8'))).toEqual({ ...SETTINGS, ...later });
  cloud.calls.length = 0;
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  expect(changed(cloud)).toEqual([]);
});

test.each([
  ['nam5', 'us-central1'],
  ['eur3', 'europe-west1'],
  ['europe-west3', 'europe-west3'],
])('with the data in %s, the function is in %s', async (location, region) => {
  const cloud = new StandIn();
  cloud.answers = [['Where is', location], ['deploy commit', 'n'], ...FIRST_DAY];
  await runOn(cloud);
  const file = join(cloud.folders.settings, `${PROJECT}.yaml`);
  expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ location, region });
});

test('the names of sites that follow from a long id are no longer than Hosting accepts', async () => {
  const cloud = new StandIn();
  cloud.answers = FIRST_DAY;
  const accounts = async () => [SETTINGS.billingAccount];
  const id = 'a'.repeat(30);
  const { pagesSite } = await completeSettings(
    id,
    cloud,
    async (question) => (await cloud.ask?.(question)) ?? '',
    accounts,
  );
  expect(pagesSite).toBe(`${id.slice(0, 17)}-attestations`);
});

test('what a person does not give is left to do, and without a node of the chain, nothing is audited', async () => {
  const cloud = new StandIn(SETTINGS);
  cloud.answers = [
    ['node of the chain', 'n'],
    ['first admin', ''],
  ];
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  expect(cloud.said.at(-1)).toContain('run this again to become the first admin');
  expect(cloud.said.at(-1)).toContain('- To have the mirror audited, run this again');
  const job = JSON.stringify(cloud.things.get('run/v2/locations/us-central1/jobs/poh-audit'));
  expect(job).toContain('{"name":"PROGRAM","value":""}');
  const other = new StandIn({ ...SETTINGS, privacy: '', program: '', github: 'acme/poh' });
  await runOn(other);
  for (const text of ['(help, privacy)', '(program), and run this again', 'Prepare GitHub'])
    expect(other.said.at(-1)).toContain(text);
});

test('its own keys are only in files of this user, in one header and in one secret', () => {
  const keyOf = (use: string): string => {
    const file = join(base.folders.keys, PROJECT, `${use}-key`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return readFileSync(file, 'utf8');
  };
  const keys = ['smoke', 'uptime', 'canary'].map(keyOf);
  for (const key of keys) {
    expect(key).toMatch(/^poh_\w+$/);
    expect([...base.said, ...base.calls].join('\n')).not.toContain(key);
  }
  const isSent = ({ body }: { body: unknown }) =>
    keys.some((key) => JSON.stringify(body)?.includes(key));
  // Google's console shows the header to nobody.
  const httpCheck = { maskHeaders: true };
  expect(base.requests.filter(isSent)).toMatchObject([
    { url: expect.stringMatching(/uptimeCheckConfigs$/), body: { httpCheck } },
  ]);
  expect(base.secrets.get('poh-canary-key')).toBe(keyOf('canary'));
  expect(pathsIn(base, RECORDS)).toHaveLength(3);
  for (const [use, modes] of [
    ['smoke', ['wallet', 'email', 'token']],
    ['uptime', ['wallet', 'email']],
    ['canary', ['token']],
  ] as const) {
    const values = modes.map((stringValue) => ({ stringValue }));
    expect(base.things.get(RECORDS + hashApiKey(keyOf(use)))).toMatchObject({
      fields: { modes: { arrayValue: { values } } },
    });
  }
});

test('each reply with which Google asks for time is waited for, with a sentence', async () => {
  const cloud = new StandIn(SETTINGS);
  const left = [...CASES.waits];
  cloud.fault = (line) => {
    const index = left.findIndex(([call]) => line.includes(call));
    const [, reply] = index < 0 ? [] : (left.splice(index, 1)[0] ?? []);
    return reply === undefined ? undefined : { reply };
  };
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(left).toEqual([]);
  const waited = cloud.said.flatMap((line) => /Waiting for (.*)\. Trying/.exec(line)?.[1] ?? []);
  expect(waited.sort()).toEqual(CASES.waits.map(([, , reason]) => reason).sort());
  expect(cloud.waits.filter((seconds) => seconds === 20)).toHaveLength(waited.length);
});

test.each([
  [
    'backupSchedules',
    /^\nStopped at: daily backups[\s\S]*Refused\.[\s\S]*Run the same command again/,
  ],
  ['billingInfo', /Refused\.[\s\S]*console\.cloud\.google\.com\/billing/],
  ['firebase deploy', /Refused\.\nFix the cause, and run the same command again\.$/],
  ['admin smoke', /Refused\.\nIt serves already\.[\s\S]* back --project acme-poh/],
])(
  'any other refusal of %s stops, says what to do, and the same command goes on',
  async (call, text) => {
    const cloud = new StandIn(SETTINGS);
    cloud.fault = (line) => (line.includes(call) ? { reply: 'Refused.' } : undefined);
    expect(await runOn(cloud)).toMatchObject({ status: 1, message: expect.stringMatching(text) });
    expect(cloud.waits).not.toContain(20);
    cloud.fault = () => undefined;
    expect(await runOn(cloud)).toMatchObject({ status: 0 });
  },
);

test('a change that arrives although its reply does not is not made twice', async () => {
  const cloud = new StandIn(SETTINGS);
  const left = new Set(['alertPolicies', 'notificationChannels', 'uptimeCheckConfigs', 'budgets']);
  cloud.fault = (line) =>
    left.delete(/^POST .*\/(\w+)/.exec(line)?.[1] ?? '')
      ? { reply: 'UNAVAILABLE', isAfter: true }
      : undefined;
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(left.size).toBe(0);
});

test('a change that fails after Google has accepted it stops too', async () => {
  const cloud = new StandIn(SETTINGS);
  cloud.outcome = { done: true, error: { message: 'Constraint of the organisation.' } };
  expect(await runOn(cloud)).toMatchObject({
    status: 1,
    message: expect.stringMatching(/Stopped at: the database[\s\S]*Constraint of the org/),
  });
});

test('what never becomes effective ends after 12 minutes', async () => {
  const cloud = new StandIn(SETTINGS);
  cloud.fault = (line) => (line.includes('projects create') ? { reply: 'UNAVAILABLE' } : undefined);
  expect(await runOn(cloud)).toMatchObject({
    status: 1,
    message: expect.stringContaining('UNAVAILABLE'),
  });
  expect(cloud.waits.reduce((sum, one) => sum + one, 0)).toBe(700);
});

test('a switch that Google takes without an effect is not called done', async () => {
  const cloud = deployed();
  cloud.set('identitytoolkit/v2/config', {
    client: { permissions: { disabledUserSignup: false } },
  });
  cloud.ignores = 'identitytoolkit/v2/config';
  const { status, message } = await runOn(cloud);
  expect(status).toBe(1);
  expect(cloud.waits).toEqual(Array(9).fill(5));
  expect(message).toMatch(
    /disabledUserSignup is false, not true[\s\S]*Firebase console → Authentication/,
  );
});

test.each(CASES.drifts)(
  '--check finds that %s, and changes nothing',
  async (_title, path, edit, expected) => {
    const cloud = deployed();
    cloud.set(path, Object(edit));
    expect(await checkOf(cloud)).toEqual({ status: 1, text: expect.stringContaining(expected) });
    expect(cloud.calls).toEqual([]);
  },
);

test('a deployment sets everything back', async () => {
  const cloud = deployed();
  for (const [, path, edit] of CASES.drifts) cloud.set(path, Object(edit));
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(await checkOf(cloud)).toEqual({ status: 0, text: '' });
});

test('--check finds an alert that is off, and nothing else', async () => {
  const cloud = deployed();
  expect(await runOn(cloud, '--check')).toMatchObject({
    status: 0,
    output: expect.stringContaining('is as its settings say'),
  });
  const [path = ''] = pathsIn(cloud, ALERTS);
  cloud.set(path, { enabled: false });
  expect(await checkOf(cloud)).toEqual({ status: 1, text: 'enabled is false, not true' });
});

test('a deployed checkout is still of its commit, and a file that has changed shows in the commit', async () => {
  const cloud = deployed();
  const root = join(temporaryFolder(), 'checkout');
  execFileSync('git', ['clone', '--quiet', ROOT, root]);
  vi.stubEnv('GIT_DIR', join(root, '.git'));
  vi.stubEnv('GIT_WORK_TREE', root);
  onTestFinished(() => void vi.unstubAllEnvs());
  cloud.folders.root = root;
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  expect(readCommit()).toMatch(/^[0-9a-f]{12}$/);
  appendFileSync(join(root, 'firestore.rules'), '// changed');
  expect(readCommit()).toMatch(/^[0-9a-f]{12}-dirty$/);
});

test.each([
  ['an access token that has ended is fetched again', 401, []],
  ['a read that Google cannot answer at present is repeated', 503, [20]],
])('%s', async (_, status, waits) => {
  const cloud = deployed();
  const { fetch } = cloud;
  let failures = 0;
  cloud.fetch = async (url, init) => {
    if (!url.includes('/databases/(default)') || failures > 0) return await fetch(url, init);
    failures += 1;
    return new Response('{}', { status });
  };
  expect(await runOn(cloud, '--check')).toMatchObject({ status: 0 });
  expect([failures, cloud.waits]).toEqual([1, waits]);
});

test('without a login of gcloud, it says how to get one', async () => {
  const cloud = deployed();
  cloud.run = async () => ({ status: 1, output: '', errors: 'no account' });
  await expect(new Google(cloud, PROJECT).request('GET', 'run/v2')).rejects.toThrow(
    'gcloud has no login. Run `gcloud auth login --update-adc`,',
  );
});

test('the image has a new tag each month, and after a change of any of its files', async () => {
  const { folders } = deployed();
  const tagOf = async (changed = '') => {
    const run = async (_: string, [folder = '']: readonly string[]) => {
      if (changed) appendFileSync(join(folder, changed), '#');
      return { status: 0, output: '', errors: '' };
    };
    return await prepareImage({ folders, run }, PROJECT);
  };
  const { imageTag, imageFolder } = await tagOf();
  expect(imageTag).toMatch(/^\d{4}-\d\d-[0-9a-f]{12}$/);
  expect((await tagOf()).imageTag).toBe(imageTag);
  const settings = `deploy/settings/${PROJECT}.yaml`;
  for (const name of [
    'Dockerfile',
    'hourly.sh',
    'docs/runbook.md',
    'deploy/project.yaml',
    settings,
  ]) {
    expect(existsSync(join(imageFolder, name)), name).toBe(true);
    expect((await tagOf(name)).imageTag, name).not.toBe(imageTag);
  }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * DAY_MS });
  onTestFinished(() => void vi.useRealTimers());
  expect((await tagOf()).imageTag).not.toBe(imageTag);
});

test('--check of a project that does not exist, or may not be seen, says so', async () => {
  expect(await runOn(new StandIn(SETTINGS), '--check')).toMatchObject({
    status: 3,
    message: 'Google shows your login no such project. `npm run deploy` makes it.',
  });
});

test('--check ends with 3 if it cannot read', async () => {
  const cloud = deployed();
  cloud.refuses = 'monitoring/v3/alertPolicies';
  expect(await runOn(cloud, '--check')).toMatchObject({
    status: 3,
    message: expect.stringContaining('Fix the cause'),
  });
});

test('an admin who could not be made one is left to do, with the rest', async () => {
  const cloud = new StandIn(SETTINGS);
  cloud.answers = FIRST_DAY;
  cloud.fault = (line) => (line.includes('admins grant') ? { reply: 'no account' } : undefined);
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  expect(cloud.said.at(-1)).toMatch(
    /owner@example\.com is not an admin yet\.[\s\S]*Commit the settings/,
  );
});

test('other recipients of an alert are kept, and other domains of sign-in', async () => {
  const cloud = deployed();
  const config = 'identitytoolkit/v2/config';
  cloud.set(config, { authorizedDomains: ['poh.example'] });
  const [path = ''] = pathsIn(cloud, ALERTS);
  const own = cloud.things.get(path)?.['notificationChannels'];
  cloud.set(path, { enabled: false, notificationChannels: ['pager'] });
  await runOn(cloud);
  expect(cloud.things.get(path)).toMatchObject({
    enabled: true,
    notificationChannels: ['pager', ...[own].flat()],
  });
  expect(cloud.things.get(config)).toMatchObject({
    authorizedDomains: ['poh.example', `${SETTINGS.consoleSite}.web.app`],
  });
});

test('of two things with one name, it changes neither', async () => {
  const cloud = deployed();
  const [path = ''] = pathsIn(cloud, ALERTS);
  cloud.things.set(`${ALERTS}99`, cloud.things.get(path) ?? {});
  expect(await runOn(cloud)).toMatchObject({
    status: 1,
    message: expect.stringMatching(/^There is more than one of the alert .*Delete or rename/),
  });
  expect(cloud.calls).toEqual([]);
});

test('a key of its own that somebody has revoked is replaced', async () => {
  const cloud = deployed();
  const records = pathsIn(cloud, RECORDS);
  for (const record of records)
    cloud.things.set(record, { fields: { active: { booleanValue: false } } });
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  const files = globSync(join(cloud.folders.keys, PROJECT, '*'));
  const used = files.map((file) => RECORDS + hashApiKey(readFileSync(file, 'utf8')));
  expect(used.sort()).toEqual(
    pathsIn(cloud, RECORDS)
      .filter((path) => !records.includes(path))
      .sort(),
  );
  expect(used).toHaveLength(3);
});

describe('what would be taken away is asked for, and kept without a yes', () => {
  test.each([
    ['the audit', { program: '' }, 'PROGRAM.value is'],
    ['a region', { region: 'europe-west1' }, 'The function moves from us-central1 to europe-west1'],
    ['rules of other software', {}, 'Firestore has rules of other software'],
  ])('%s', async (what, settings, question) => {
    const cloud = deployed();
    if (what.startsWith('rules'))
      cloud.set('firebaserules/v1/rulesets/1', { source: { files: [{ content: 'match /x' }] } });
    cloud.writeSettings({ ...SETTINGS, ...settings });
    cloud.answers = [[question, 'n']];
    expect(await runOn(cloud)).toMatchObject({ status: 1 });
    expect(cloud.questions.join('\n')).toContain(question);
    cloud.ask = undefined;
    expect(await runOn(cloud)).toMatchObject({
      status: 1,
      message: expect.stringContaining('needs an answer'),
    });
    expect(cloud.calls).toEqual([]);
  });

  test('a role', async () => {
    const cloud = deployed();
    const members = [`serviceAccount:poh-lookup@${PROJECT}.iam.gserviceaccount.com`];
    const policy = cloud.things.get(POLICY);
    cloud.things.set(POLICY, {
      bindings: [policy?.['bindings'], { role: 'roles/editor', members }].flat(),
    });
    await runOn(cloud);
    expect(cloud.questions.join('\n')).toContain('roles also has "editor"');
    expect(cloud.things.get(POLICY)).toEqual(
      policy && { bindings: expect.not.arrayContaining([{ role: 'roles/editor', members }]) },
    );
    // Whatever the condition under which it was given.
    expect(changed(cloud)).toEqual([expect.stringContaining(' --all ')]);
  });

  test('but a machine without the keys of the uptime checks and of the job keeps them', async () => {
    const cloud = deployed();
    for (const use of ['uptime', 'canary']) rmSync(join(cloud.folders.keys, PROJECT, `${use}-key`));
    expect(await runOn(cloud)).toMatchObject({ status: 0 });
    expect(changed(cloud)).toEqual([]);
  });

  test('a key of another machine', async () => {
    const cloud = deployed();
    writeFileSync(join(cloud.folders.keys, PROJECT, 'uptime-key'), 'poh_another');
    cloud.answers = [['userLabels.key', 'n']];
    await runOn(cloud);
    expect(cloud.questions.join('\n')).toContain('userLabels.key');
  });
});

test('another region gets everything, and the old one is deleted once nobody calls it', async () => {
  const cloud = deployed();
  cloud.writeSettings({ ...SETTINGS, region: 'europe-west1' });
  const { ask } = cloud;
  cloud.ask = undefined;
  expect(await runOn(cloud, '--code-only')).toMatchObject({
    status: 1,
    message: expect.stringMatching(
      /^There is a function in us-central1 too\. Deploy on a terminal/,
    ),
  });
  expect(cloud.calls).toEqual([]);
  cloud.ask = ask;
  cloud.log({ message: 'lookup' });
  cloud.log({ message: 'lookup' }, '', 1, 'europe-west1');
  cloud.answers = [[`had its last lookup at ${cloud.logged[0]?.['timestamp']}`, 'n']];
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(cloud.things.has(SERVICE)).toBe(true);
  cloud.answers = [];
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(cloud.interactive[0]).toMatch(/^firebase deploy (?!.*(--force|--non-interactive))/);
  expect(cloud.things.has(SERVICE.replace('us-central1', 'europe-west1'))).toBe(true);
  expect(
    [...cloud.things.keys()].filter((path) =>
      /us-central1\/(jobs|services|functions)\//.test(path),
    ),
  ).toEqual([]);
});

test('a trial moves traffic only after a yes, and ends with all or nothing', async () => {
  const cloud = deployed();
  const statuses = () => cloud.things.get(SERVICE)?.['trafficStatuses'];
  const old = cloud.revision();
  expect(await runOn(cloud, 'trial')).toMatchObject({ status: 0 });
  expect(statuses()).toMatchObject([
    { percent: 5, tag: 'trial' },
    { percent: 95, revision: old },
  ]);
  expect(cloud.calls).toContainEqual(expect.stringMatching(/ smoke --url https:\/\/trial---poh/));
  expect((await checkOf(cloud)).text).toContain(`has pinned 95 % to ${old}`);
  for (const status of [200, 500, 200]) cloud.log({ message: 'lookup', status }, cloud.revision());
  cloud.log({ message: 'lookup', status: 404 }, cloud.revision(), 61);
  // What is no answer ends nothing.
  await runOn(cloud, 'trial');
  expect(cloud.said.at(-1)).toContain('The trial goes on');
  expect(cloud.said).toContain(
    `${cloud.revision()}: 3 lookups in the last hour, 2 with 200, 1 with 500`,
  );
  const { ask } = cloud;
  cloud.ask = undefined;
  expect(await runOn(cloud, 'trial')).toMatchObject({ status: 1 });
  cloud.ask = ask;
  cloud.answers = [['Send all traffic', 'old']];
  await runOn(cloud, 'trial');
  expect(statuses()).toMatchObject([{ percent: 100, revision: old }]);
  cloud.answers = [];
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  const all = [{ percent: 100, type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST' }];
  expect(statuses()).toMatchObject(all);
  await runOn(cloud, 'trial');
  cloud.answers = [['Send all traffic', 'new']];
  await runOn(cloud, 'trial');
  expect(statuses()).toMatchObject(all);
  expect(cloud.calls.at(-1)).toMatch(/^admin smoke --url https:\/\/acme-poh-attestations/);
});

test('a trial of an unchanged function leaves the traffic as it was', async () => {
  const cloud = deployed();
  const before = cloud.things.get(SERVICE);
  cloud.isUnchanged = true;
  expect(await runOn(cloud, 'trial')).toMatchObject({
    status: 1,
    message: expect.stringContaining('nothing to try'),
  });
  expect(cloud.things.get(SERVICE)).toEqual(before);
});

test('a trial whose end was interrupted is asked about again, until rules and pages are new too', async () => {
  const cloud = deployed();
  await runOn(cloud, 'trial');
  cloud.answers = [['Send all traffic', 'new']];
  for (const call of ['firebase deploy', 'update-traffic']) {
    cloud.fault = (line) => (line.includes(call) ? { reply: 'Interrupted.' } : undefined);
    expect(await runOn(cloud, 'trial')).toMatchObject({ status: 1 });
    expect(cloud.questions.at(-1)).toContain('Send all traffic');
  }
});

test.each([[[]], [['--code-only']]])(
  'a deployment with %j asks about traffic that is pinned before it changes anything',
  async (words) => {
    const cloud = deployed();
    const { ask } = cloud;
    // A trial ended after it had pinned the traffic to the latest revision.
    cloud.fault = (line) => (line.includes('firebase deploy') ? { reply: 'Refused.' } : undefined);
    await runOn(cloud, 'trial');
    cloud.fault = () => undefined;
    cloud.calls.length = 0;
    cloud.answers = [['has pinned the traffic', 'n']];
    expect(await runOn(cloud, ...words)).toMatchObject({ status: 1 });
    cloud.ask = undefined;
    expect(await runOn(cloud, ...words)).toMatchObject({
      status: 1,
      message: expect.stringContaining('Run it on a terminal.'),
    });
    expect(cloud.calls).toEqual([]);
    cloud.ask = ask;
    cloud.answers = [];
    expect(await runOn(cloud, ...words)).toMatchObject({ status: 0 });
    expect(cloud.things.get(SERVICE)?.['trafficStatuses']).toMatchObject([
      { revision: cloud.revision(), percent: 100 },
    ]);
  },
);

test('back sends all traffic to the revision that served before, and says how to go on', async () => {
  const cloud = deployed();
  const revision = cloud.revision();
  await runOn(cloud);
  const lookup = { message: 'lookup', code: 'ok' };
  for (const [commit, name] of [
    ['0123456789ab', revision],
    ['ffffffffffff', cloud.revision()],
  ])
    cloud.log({ message: 'started', commit }, name);
  cloud.log(lookup, 'an-older-one', 60);
  cloud.log(lookup, revision);
  // Neither the present one nor one that only failed has served well before.
  cloud.log(lookup, cloud.revision());
  cloud.log({ ...lookup, code: 'internal' }, 'a-bad-one');
  cloud.answers = [['Send all traffic', 'n']];
  expect(await runOn(cloud, 'back')).toMatchObject({ status: 1 });
  cloud.answers = [];
  expect(await runOn(cloud, 'back')).toMatchObject({ status: 0 });
  expect(cloud.things.get(SERVICE)?.['trafficStatuses']).toMatchObject([
    { revision, percent: 100 },
  ]);
  expect(cloud.said.join('\n')).toContain('git log 0123456789ab..origin/main');
});

test('back ends a trial, and goes to no revision that does not exist', async () => {
  const cloud = deployed();
  const old = cloud.revision();
  expect(await runOn(cloud, 'back')).toMatchObject({
    message: expect.stringContaining('gcloud run revisions list'),
  });
  expect(await runOn(cloud, 'back', '--to', 'pohattestationsendpoint-00009-abc')).toMatchObject({
    status: 1,
    message: expect.stringMatching(/^There is no revision .*00009-abc\. Nothing was changed\./),
  });
  expect(cloud.questions).toEqual([]);
  await runOn(cloud, 'trial');
  expect(await runOn(cloud, 'back')).toMatchObject({ status: 0 });
  expect(cloud.things.get(SERVICE)?.['trafficStatuses']).toMatchObject([
    { revision: old, percent: 100 },
  ]);
  expect(cloud.said.at(-1)).toContain('Rules and pages are those from before the trial.');
  expect(cloud.said.at(-1)).not.toContain('git log');
  cloud.fault = (line) => (line.startsWith('admin smoke') ? { reply: 'Refused.' } : undefined);
  const failures = [await runOn(cloud, 'back', '--to', old), await runOn(cloud, 'trial')];
  expect(failures.map(({ message }) => message.split('\n').at(-1))).toEqual([
    expect.stringContaining(`${old} serves, but not as it should either.`),
    expect.stringContaining('It gets no traffic.'),
  ]);
});

test.each([
  [[{ message: 'started', server: 'own' }], 'Our own server answers'],
  [[{ message: 'the server was taken over with a request' }], "Google's framework answers"],
  [[], 'No instance of the function has started'],
])('a check says from %j which server answers', async (lines, words) => {
  const cloud = deployed();
  for (const line of lines) cloud.log(line);
  await runOn(cloud, '--check');
  expect(cloud.said.join('\n')).toContain(words);
});

describe('the drill', () => {
  test('provokes every alert, says which mails to expect, and leaves nothing behind', async () => {
    const cloud = deployed();
    const before = [...cloud.things.keys()];
    // An earlier drill was interrupted.
    cloud.set(`${ALERTS}99`, { displayName: 'DRILL: PoH: server errors' });
    for (const message of ['step failed', 'mirror', 'key ends soon', 'key record has wrong fields'])
      cloud.log({ message });
    cloud.log({ message: 'lookup', code: 'unauthorized', keyId: '0123456789ab' });
    expect(await runOn(cloud, 'drill')).toMatchObject({ status: 0, message: '' });
    const { length } = globSync('deploy/alerts/*.yaml');
    expect(cloud.said.filter((line) => line.startsWith('Expect a mail: '))).toHaveLength(length);
    const copies = cloud.requests.filter(
      ({ method, url }) => method === 'POST' && url.endsWith('/alertPolicies'),
    );
    const isOverLog = (text: string) => text.includes('conditionMatchedLog');
    expect(copies).toHaveLength(
      [...cloud.things].filter(
        ([path, alert]) => path.startsWith(ALERTS) && !isOverLog(JSON.stringify(alert)),
      ).length,
    );
    for (const { body } of copies) {
      const conditions = JSON.stringify(Object(body).conditions);
      expect(conditions).toMatch(/ > -1| < 1e9|"thresholdValue":-1/);
      // No threshold, wait or failure is left that a sound deployment does not exceed.
      expect(conditions).not.toMatch(
        / > [\d.]| < [\d.]+(?!e9)\b|"thresholdValue":\d|"duration":"[1-9]|="5xx|"internal|turned-away/,
      );
      expect(body).toMatchObject({
        displayName: expect.stringMatching(/^DRILL: PoH: /),
        notificationChannels: [expect.stringContaining('notificationChannels/')],
      });
    }
    expect(cloud.calls.filter((call) => call.includes(' Drill'))).toHaveLength(3);
    expect(cloud.calls.join('\n')).toContain(
      '--update-env-vars COPIES=/nonexistent,MAX_SYNC_HOURS=-1',
    );
    expect(cloud.waits).toContain(20 * 60);
    expect([...cloud.things.keys()]).toEqual(before);
  });

  test('says which lines are not in the log', async () => {
    const cloud = deployed();
    expect(await runOn(cloud, 'drill')).toMatchObject({
      status: 1,
      message: expect.stringContaining('run the drill again'),
    });
    expect(cloud.said).toContain('NOTHING IN THE LOG: PoH: a revoked key is in use');
  });

  test('deletes its keys if the service does not answer as it should', async () => {
    const cloud = deployed();
    const before = [...cloud.things.keys()].filter((path) => !path.startsWith(ALERTS));
    const { fetch } = cloud;
    cloud.fetch = async (url, init) =>
      url.includes('web.app') ? new Response('', { status: 500 }) : await fetch(url, init);
    expect(await runOn(cloud, 'drill')).toMatchObject({
      status: 1,
      message: 'A lookup of the drill got 500. Run `npm run deploy` first.',
    });
    expect([...cloud.things.keys()].filter((path) => !path.startsWith(ALERTS))).toEqual(before);
  });
});

test('--code-only deploys what CI may deploy', async () => {
  const cloud = deployed();
  cloud.ask = undefined;
  expect(await runOn(cloud, '--code-only', '--key-file', '/key')).toMatchObject({ status: 0 });
  expect(cloud.calls).toEqual([
    `firebase deploy --only functions,firestore:rules,hosting --non-interactive --project ${PROJECT}`,
    `admin smoke --url https://${PROJECT}-attestations.web.app --key-file /key --verified ${SETTINGS.canaryWallet}`,
  ]);
});

test.each(CASES.settings)('with the settings %j nothing is done', async (settings, problem) => {
  const cloud = new StandIn({ ...SETTINGS, ...Object(settings) });
  const { status, message } = await runOn(cloud);
  expect(message).toContain(problem);
  expect(message).toContain('Nothing was done.');
  expect(status).toBe(2);
  expect(cloud.calls).toEqual([]);
});

test.each(['Acme DAO', 'a', 'acme_poh', '../acme-poh'])('%j is not a project', async (project) => {
  const cloud = new StandIn();
  expect(await runOn(cloud, '--project', project)).toMatchObject({
    status: 2,
    message: expect.stringContaining('Check --project'),
  });
});

test.each([['--check'], ['trial'], ['back'], ['drill']])(
  'without settings, %s asks for none, and says what to do',
  async (word) => {
    const cloud = new StandIn();
    cloud.answers = FIRST_DAY;
    expect(await runOn(cloud, word)).toMatchObject({
      status: 2,
      message: expect.stringMatching(/^There are no settings of acme-poh\. Correct --project, or /),
    });
    expect(cloud.questions).toEqual([]);
  },
);

test.each(['trial', 'back', 'drill'])('before the first deployment, %s says so', async (word) => {
  const cloud = deployed();
  cloud.things.delete(SERVICE);
  expect(await runOn(cloud, word)).toMatchObject({
    message: expect.stringContaining('There is no function yet.'),
  });
});

test('a command that does not exist leads to the help', async () => {
  const cloud = new StandIn(SETTINGS);
  expect(await runOn(cloud, 'bakc')).toMatchObject({ status: 2 });
  expect(cloud.said.join('\n')).toContain('npm run deploy -- --help');
});

test('answers that were given before an interruption are not asked for again', async () => {
  const cloud = new StandIn();
  cloud.answers = FIRST_DAY;
  const { ask } = cloud;
  cloud.ask = (question) => {
    if (question.includes('Who runs')) throw new Failure('Stopped, as you wish.');
    return ask?.(question) ?? Promise.reject();
  };
  expect(await runOn(cloud)).toMatchObject({ status: 1 });
  expect(cloud.questions).toHaveLength(2);
  cloud.ask = ask;
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  expect(new Set(cloud.questions).size).toBe(cloud.questions.length);
  expect(cloud.said.join('\n')).toContain('also with what nobody was asked');
});

test('a wrong name of a setting is told before anything is asked', async () => {
  const { recipients, ...rest } = SETTINGS;
  const cloud = new StandIn({ ...rest, recipents: recipients });
  cloud.answers = FIRST_DAY;
  expect(await runOn(cloud)).toMatchObject({
    status: 2,
    message: expect.stringContaining('Unrecognized key: "recipents"'),
  });
  expect(cloud.questions).toEqual([]);
});

test('without a billing account, it says where to make one', async () => {
  const cloud = new StandIn();
  const { fetch } = cloud;
  cloud.fetch = async (url, init) =>
    url.endsWith('/billingAccounts') ? new Response('{}') : await fetch(url, init);
  cloud.answers = [...FIRST_DAY, ['Which billing account', '012345-6789AB-CDEF01']];
  await runOn(cloud);
  expect(cloud.questions[1]).toContain('https://console.cloud.google.com/billing');
});

test('without a terminal, a missing setting is named', async () => {
  const { location: _, ...rest } = SETTINGS;
  const cloud = new StandIn(rest);
  cloud.ask = undefined;
  expect(await runOn(cloud)).toMatchObject({
    status: 2,
    message: expect.stringContaining('is missing\n  → at location'),
  });
});

test('a wrong answer is asked for again, with the reason', async () => {
  const { location: _, recipients: __, ...rest } = SETTINGS;
  const cloud = new StandIn(rest);
  const answers = ['Iowa', 'us-central1', '', 'ops@example', 'ops@example.com'];
  cloud.ask = async (question) => {
    cloud.questions.push(question);
    return answers.shift() ?? 'n';
  };
  await runOn(cloud);
  expect(cloud.questions[1]).toContain('must be a location, such as us-central1 or nam5');
  expect(cloud.questions[3]).toContain('recipients must be at least one e-mail address.');
  expect(cloud.questions[4]).toContain(
    'recipients must be e-mail addresses, such as ops@example.com',
  );
  expect(
    parse(readFileSync(join(cloud.folders.settings, `${PROJECT}.yaml`), 'utf8')),
  ).toMatchObject({ location: 'us-central1' });
});
