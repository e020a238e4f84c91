// Runs the deployment's program against a stand-in for Google and its tools.

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { hashApiKey } from '../../records/apiKey.ts';
import { FIRST_DAY, PROJECT, runOn, SETTINGS, StandIn } from './standIn.ts';

const REGION = 'locations/us-central1';
const SERVICE = `run/v2/${REGION}/services/pohattestationsendpoint`;

const base = new StandIn(SETTINGS);
base.things.set('secretmanager/v1/secrets/poh-rpc-url', { name: 'poh-rpc-url' });
expect(await runOn(base)).toMatchObject({ status: 0 });
/** A project on which everything is, with a secret for the audit. */
const deployed = (): StandIn => base.copy();
const changed = (cloud: StandIn): string[] =>
  cloud.calls.filter((call) => !/^(firebase deploy|admin smoke)/.test(call));

describe('the first day', async () => {
  const cloud = new StandIn();
  cloud.answers = FIRST_DAY;
  const outcome = await runOn(cloud);

  test('one command makes everything, asks once for each decision, and says what is where', () => {
    expect(outcome).toMatchObject({ status: 0, message: '' });
    expect(cloud.questions).toHaveLength(FIRST_DAY.length + 1);
    const said = cloud.said.join('\n');
    for (const text of [
      'https://acme-poh-attestations.web.app',
      'admins grant ADDRESS',
      'poh-rpc-url',
    ])
      expect(said).toContain(text);
  });

  test('the settings are in one file, with every choice that nobody was asked for', () => {
    const file = join(cloud.folders.settings, `${PROJECT}.yaml`);
    expect(parse(readFileSync(file, 'utf8'))).toEqual(SETTINGS);
  });

  test('its own keys are only in files of this user, in one header and in one secret', () => {
    const folder = join(cloud.folders.keys, PROJECT);
    const keys = readdirSync(folder).map((name) => {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      return readFileSync(join(folder, name), 'utf8');
    });
    expect(keys).toHaveLength(3);
    for (const key of keys) {
      expect(key).toMatch(/^poh_\w+$/);
      expect(
        [...cloud.said, ...cloud.calls, JSON.stringify([...cloud.things])].join('\n'),
      ).not.toContain(key);
    }
    const records = [...cloud.things.keys()].filter((path) => path.includes('/documents/apiKeys/'));
    expect(records).toHaveLength(3);
  });

  test('the job looks tokens up with a key of its own, for the wallet of the settings', () => {
    const key = readFileSync(join(cloud.folders.keys, PROJECT, 'canary-key'), 'utf8');
    expect([...cloud.secrets]).toEqual([['poh-canary-key', key]]);
    const { fields } =
      cloud.things.get(`firestore/v1/databases/(default)/documents/apiKeys/${hashApiKey(key)}`) ??
      {};
    expect(fields).toMatchObject({
      project: { stringValue: 'Canary' },
      modes: { arrayValue: { values: [{ stringValue: 'token' }] } },
    });
    expect(cloud.things.get(`run/v2/${REGION}/jobs/poh-audit`)).toMatchObject({
      template: {
        template: {
          containers: [
            {
              env: expect.arrayContaining([
                { name: 'CANARY_URL', value: `https://${PROJECT}-attestations.web.app` },
                { name: 'CANARY_WALLET', value: SETTINGS.canary.wallet },
                {
                  name: 'CANARY_KEY',
                  valueSource: { secretKeyRef: { secret: 'poh-canary-key', version: 'latest' } },
                },
              ]),
            },
          ],
        },
      },
    });
  });

  test('a second run changes nothing', async () => {
    cloud.calls.length = 0;
    expect(await runOn(cloud)).toMatchObject({ status: 0 });
    expect(changed(cloud)).toEqual([]);
  });
});

test('each reply with which Google asks for time is waited for, with a sentence', async () => {
  const replies: [string, string, string][] = [
    [
      'firestore databases create',
      'SERVICE_DISABLED: If you enabled this API recently, wait a few minutes',
      'an API that was just enabled',
    ],
    ['PATCH firestore/v1', 'UNAVAILABLE: try again', 'Google, which does not answer at present'],
    [
      'roles/datastore.viewer',
      'Service account poh-lookup@acme-poh.iam.gserviceaccount.com does not exist.',
      'a new account',
    ],
    [
      'roles/firebaseauth.viewer',
      'ABORTED: There were concurrent policy changes.',
      'another change that is being made',
    ],
    [
      'builds submit',
      'poh-build@acme-poh.iam.gserviceaccount.com does not have storage.objects.get access to the source',
      'a role that was just granted',
    ],
    [
      'run jobs deploy',
      'Google Cloud Run Service Agent service-1@serverless-robot-prod.iam.gserviceaccount.com must have permission to read the image',
      'a role that was just granted',
    ],
    ['alpha monitoring policies create', 'Cannot find metric that matches type', 'a new metric'],
    [
      'admin smoke',
      'wallet lookup: 500 instead of 200',
      'Google, which does not answer at present',
    ],
    ['logging metrics create', '429 RESOURCE_EXHAUSTED', "Google's limit of requests in a minute"],
  ];
  const cloud = new StandIn(SETTINGS);
  const left = [...replies];
  cloud.fault = (line) => {
    const index = left.findIndex(([call]) => line.includes(call));
    const [, reply] = index < 0 ? [] : (left.splice(index, 1)[0] ?? []);
    return reply === undefined ? undefined : { reply };
  };
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(left).toEqual([]);
  const waited = cloud.said.flatMap((line) => /Waiting for (.*)\. Trying/.exec(line)?.[1] ?? []);
  expect(waited.sort()).toEqual(replies.map(([, , reason]) => reason).sort());
  expect(cloud.waits).toEqual(replies.map(() => 20));
});

test('any other refusal stops, says what to do, and the same command goes on', async () => {
  const cloud = new StandIn(SETTINGS);
  cloud.fault = (line) =>
    line.includes('backups') ? { reply: 'The caller lacks a permission.' } : undefined;
  const { status, message } = await runOn(cloud);
  expect(status).toBe(1);
  expect(message).toMatch(
    /Stopped at: daily backups[\s\S]*The caller lacks a permission\.[\s\S]*Run the same command again/,
  );
  expect(cloud.waits).toEqual([]);
  cloud.fault = () => undefined;
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
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
  cloud.edit('identitytoolkit/v2/config', {
    client: { permissions: { disabledUserSignup: false } },
  });
  cloud.ignores = 'identitytoolkit/v2/config';
  const { status, message } = await runOn(cloud);
  expect(status).toBe(1);
  expect(message).toMatch(
    /disabledUserSignup is false, not true[\s\S]*Firebase console → Authentication/,
  );
});

test.each([
  [
    'a tick was turned back',
    'identitytoolkit/v2/config',
    { client: { permissions: { disabledUserSignup: false } } },
    'disabledUserSignup is false, not true',
  ],
  [
    'addresses can be found out',
    'identitytoolkit/v2/config',
    { emailPrivacyConfig: { enableImprovedEmailPrivacy: false } },
    'enableImprovedEmailPrivacy is false',
  ],
  [
    'the TTL has no offset',
    'firestore/v1/databases/(default)/collectionGroups/verificationTokens/fields/createdAt',
    { ttlConfig: { expirationOffset: undefined, state: 'ACTIVE' } },
    'expirationOffset is missing, not "86400s"',
  ],
  [
    'the database can be deleted',
    'firestore/v1/databases/(default)',
    { deleteProtectionState: 'DELETE_PROTECTION_DISABLED' },
    'deleteProtectionState is "DELETE_PROTECTION_DISABLED"',
  ],
  [
    'no version of the last days is kept',
    'firestore/v1/databases/(default)',
    { pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_DISABLED' },
    'pointInTimeRecoveryEnablement',
  ],
  [
    'an account may do more',
    'cloudresourcemanager/v1:getIamPolicy',
    {
      bindings: [
        {
          role: 'roles/editor',
          members: [`serviceAccount:poh-lookup@${PROJECT}.iam.gserviceaccount.com`],
        },
      ],
    },
    'it also has roles/editor',
  ],
  [
    'a role may delete',
    'iam/v1/roles/pohKeyAdmin',
    { includedPermissions: ['datastore.entities.delete'] },
    'also has "datastore.entities.delete"',
  ],
  ['request URLs are logged', 'logging/v2/sinks/_Default', { exclusions: [] }, 'is missing'],
  [
    'the filter is narrower',
    'logging/v2/sinks/_Default',
    { exclusions: [{ name: 'poh-request-urls', filter: 'email=' }] },
    'filter is "email="',
  ],
  [
    'copies stay longer',
    `storage/v1/b/${PROJECT}-poh-copies`,
    { lifecycle: { rule: [{ action: { type: 'Delete' }, condition: { age: 280 } }] } },
    'age is 280, not 28',
  ],
  [
    'the schedule is paused',
    `cloudscheduler/v1/${REGION}/jobs/poh-audit`,
    { state: 'PAUSED' },
    'state is "PAUSED"',
  ],
  [
    'the cap is higher',
    SERVICE,
    { template: { scaling: { maxInstanceCount: 100 } } },
    'maxInstanceCount is 100, not 10',
  ],
  [
    'the pages are of another commit',
    'pages',
    { commit: '0123456789ab' },
    'they are of commit 0123456789ab',
  ],
])('--check finds that %s, and changes nothing', async (_title, path, edit, expected) => {
  const cloud = deployed();
  cloud.edit(path, edit);
  const { status, output } = await runOn(cloud, '--check', '--json');
  const { differences } = JSON.parse(output);
  expect(
    differences.map(({ difference }: { difference: string }) => difference).join('\n'),
  ).toContain(expected);
  expect(status).toBe(1);
  expect(cloud.calls).toEqual([]);
});

test('--check finds an alert that is off, and nothing else', async () => {
  const cloud = deployed();
  expect(await runOn(cloud, '--check')).toMatchObject({
    status: 0,
    output: expect.stringContaining('is as its settings say'),
  });
  const [path = ''] = [...cloud.things.keys()].filter((one) =>
    one.startsWith('monitoring/v3/alertPolicies/'),
  );
  cloud.edit(path, { enabled: false });
  const { output } = await runOn(cloud, '--check', '--json');
  expect(JSON.parse(output).differences).toMatchObject([
    { difference: 'enabled is false, not true' },
  ]);
});

test('an access token that has ended is fetched again', async () => {
  const cloud = deployed();
  const { fetch } = cloud;
  let ended = true;
  cloud.fetch = async (url, init) => {
    if (!url.includes('/databases/(default)') || !ended) return await fetch(url, init);
    ended = false;
    return new Response('{}', { status: 401 });
  };
  expect(await runOn(cloud, '--check')).toMatchObject({ status: 0 });
  expect(ended).toBe(false);
});

test('--check ends with 3 if it cannot read', async () => {
  const cloud = deployed();
  cloud.refuses = 'monitoring/v3/alertPolicies';
  expect(await runOn(cloud, '--check')).toMatchObject({ status: 3 });
});

test('other recipients of an alert are kept', async () => {
  const cloud = deployed();
  const [path = ''] = [...cloud.things.keys()].filter((one) =>
    one.startsWith('monitoring/v3/alertPolicies/'),
  );
  const own = cloud.things.get(path)?.['notificationChannels'];
  cloud.edit(path, { enabled: false, notificationChannels: ['pager'] });
  await runOn(cloud);
  expect(cloud.things.get(path)).toMatchObject({
    enabled: true,
    notificationChannels: ['pager', ...[own].flat()],
  });
});

describe('what would be taken away is asked for, and kept without a yes', () => {
  test.each([
    ['the audit', { program: '' }, 'PROGRAM.value is'],
    ['a region', { region: 'europe-west1' }, 'The function moves from us-central1 to europe-west1'],
  ])('%s', async (_what, settings, question) => {
    const cloud = deployed();
    cloud.writeSettings({ ...SETTINGS, ...settings });
    cloud.answers = [[question, 'n']];
    expect(await runOn(cloud, '--yes')).toMatchObject({ status: 1 });
    expect(cloud.questions.join('\n')).toContain(question);
    cloud.ask = undefined;
    expect(await runOn(cloud, '--yes')).toMatchObject({
      status: 1,
      message: expect.stringContaining('needs an answer'),
    });
    expect(cloud.calls).toEqual([]);
  });

  test('a role', async () => {
    const cloud = deployed();
    const members = [`serviceAccount:poh-lookup@${PROJECT}.iam.gserviceaccount.com`];
    const policy = cloud.things.get('cloudresourcemanager/v1:getIamPolicy');
    cloud.things.set('cloudresourcemanager/v1:getIamPolicy', {
      bindings: [policy?.['bindings'], { role: 'roles/editor', members }].flat(),
    });
    await runOn(cloud);
    expect(cloud.questions.join('\n')).toContain('it also has roles/editor');
    expect(cloud.things.get('cloudresourcemanager/v1:getIamPolicy')).toEqual(
      policy && { bindings: expect.not.arrayContaining([{ role: 'roles/editor', members }]) },
    );
    expect(changed(cloud)).toHaveLength(1);
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
  expect(await runOn(cloud)).toMatchObject({ status: 0, message: '' });
  expect(cloud.calls.find((call) => call.startsWith('firebase deploy'))).not.toMatch(
    /--force|--non-interactive/,
  );
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
  cloud.answers = [['Send all traffic', 'old']];
  await runOn(cloud, 'trial');
  expect(statuses()).toMatchObject([{ percent: 100, revision: old }]);
  cloud.answers = [];
  expect(await runOn(cloud)).toMatchObject({ status: 0 });
  expect(cloud.questions.at(-1)).toContain('has pinned the traffic');
  expect(statuses()).toMatchObject([
    { percent: 100, type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST' },
  ]);
});

test('back sends all traffic to the revision that served before, and says how to go on', async () => {
  const cloud = deployed();
  const revision = cloud.revision();
  await runOn(cloud);
  cloud.logged = [
    {
      timestamp: '2026-11-20T09:00:00Z',
      resource: { labels: { revision_name: revision } },
      jsonPayload: { commit: '0123456789ab' },
    },
  ];
  cloud.answers = [['Send all traffic', 'n']];
  expect(await runOn(cloud, 'back')).toMatchObject({ status: 1 });
  cloud.answers = [];
  expect(await runOn(cloud, 'back')).toMatchObject({ status: 0 });
  expect(cloud.things.get(SERVICE)?.['trafficStatuses']).toMatchObject([
    { revision, percent: 100 },
  ]);
  expect(cloud.said.join('\n')).toContain('git log 0123456789ab..origin/main');
});

test('--code-only deploys what CI may deploy', async () => {
  const cloud = deployed();
  cloud.ask = undefined;
  expect(await runOn(cloud, '--code-only', '--key-file', '/key')).toMatchObject({ status: 0 });
  expect(cloud.calls).toEqual([
    `firebase deploy --project ${PROJECT} --only functions,firestore:rules,hosting --non-interactive`,
    `admin smoke --url https://${PROJECT}-attestations.web.app --key-file /key`,
  ]);
});

test.each([
  [{ maxInstances: '10/;1e touch FILE' }, 'maxInstances: '],
  [{ maxInstances: 0 }, 'maxInstances: '],
  [{ recipients: ['ops'] }, 'recipients.0: '],
  [{ region: 'us-central1,europe-west1' }, 'region: must be one region'],
  [{ program: 'X=1' }, 'program: '],
  [
    { sites: { pages: `${'x'.repeat(31)}`, console: 'acme-console' } },
    'sites.pages: must be a-z, 0-9 and -, and at most 30',
  ],
  [
    { operator: { name: '', help: 'javascript:alert(1)', privacy: '' } },
    'operator.help: must begin with https:',
  ],
  [{ billingAcount: 'x' }, 'billingAcount: '],
])('with the settings %j nothing is done', async (settings, problem) => {
  const cloud = new StandIn({ ...SETTINGS, ...settings });
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

test('without a terminal, a missing setting is named', async () => {
  const { location: _, ...rest } = SETTINGS;
  const cloud = new StandIn(rest);
  cloud.ask = undefined;
  expect(await runOn(cloud)).toMatchObject({
    status: 2,
    message: expect.stringContaining('location: '),
  });
});

test('a wrong answer is asked for again, with the reason', async () => {
  const { location: _, ...rest } = SETTINGS;
  const cloud = new StandIn(rest);
  const answers = ['Iowa', 'us-central1'];
  cloud.ask = async (question) => {
    cloud.questions.push(question);
    return question.includes('Where is the data?') ? (answers.shift() ?? '') : 'n';
  };
  await runOn(cloud);
  expect(cloud.questions[1]).toContain('must be a location, such as us-central1 or nam5');
  expect(
    parse(readFileSync(join(cloud.folders.settings, `${PROJECT}.yaml`), 'utf8')),
  ).toMatchObject({ location: 'us-central1' });
});
