// The commands of docs/operations.md, run by the real firebase-tools against a stand-in for Google.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import firebaseConfig from '../../firebase.json' with { type: 'json' };
import { leaveOutPredeploy, makeCheckout } from './checkout.ts';
import { documentedCommand, documentedCommands } from './documents.ts';
import { type GoogleProject, startGoogleProject } from './google/project.ts';
import { refusal } from './google/store.ts';

const ID = 'acme-poh';
const FIRST = 'For the first time';
const DEPLOYING_AGAIN = documentedCommand('Deploying again', 'npx firebase deploy', ID);
const SERVICE = `projects/${ID}/locations/us-central1/services/pohattestationsendpoint`;
const TIMEOUT = { timeout: 180_000 };

/** Credentials and personal data under the names that tools give them, none of which may be uploaded. */
const PLANTED = [
  '.env.local',
  '.npmrc',
  '.secret.local',
  'application_default_credentials.json',
  'attestations.csv',
  'demo-poh-firebase-adminsdk-a1b2c-0123456789.json',
  'firebase-debug.log',
  'key.pem',
  'node_modules/x/package.json',
];

const checkout = makeCheckout();
let project: GoogleProject;

/** A project after the steps that firebase-tools takes no part in. */
async function newProject(): Promise<GoogleProject> {
  const made = await startGoogleProject(ID);
  const account = `projects/${ID}/serviceAccounts/poh-lookup@${ID}.iam.gserviceaccount.com`;
  made.store.put(`projects/${ID}/databases/(default)`, {
    type: 'FIRESTORE_NATIVE',
    locationId: 'nam5',
  });
  made.store.put(account, {});
  made.store.put(`projects/${ID}/sites/${ID}`, { type: 'DEFAULT_SITE' });
  return made;
}

const run = (command: string, answers?: Record<string, string>) =>
  checkout.run(command, project.env, answers);
const documented = (words: string, heading = FIRST) => documentedCommand(heading, words, ID);
const functions = () => project.store.names('functions').map((name) => name.split('/')[3]);
/** The requests of a kind that were made meanwhile. */
async function callsDuring(what: RegExp, work: () => Promise<unknown>) {
  const before = project.calls.length;
  await work();
  return project.calls.slice(before).filter((call) => what.test(call.what));
}

beforeAll(async () => {
  for (const folder of ['', 'functions', 'functions/lib']) {
    for (const name of PLANTED) plant(join(checkout.folder, folder, name));
  }
  project = await newProject();
});

function plant(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
}

afterAll(async () => {
  await project[Symbol.asyncDispose]();
  checkout[Symbol.dispose]();
});

describe('the first deployment', () => {
  test('each command of the first steps succeeds', TIMEOUT, async () => {
    const commands = documentedCommands(FIRST, ID).filter((line) =>
      /^(printf '%s.n'|npx firebase (?!login))/.test(line),
    );
    expect(commands).toHaveLength(9);
    for (const command of commands) {
      const { status, output } = await run(command);
      expect(status, `${command}\n${output}`).toBe(0);
    }
    leaveOutPredeploy(checkout);
  });

  test('uploads the bundle, and a lockfile of functions-framework alone', () => {
    const files = unzipSync(project.store.files.get('source.zip') ?? Buffer.alloc(0));
    expect(Object.keys(files).sort()).toEqual(['index.cjs', 'package-lock.json', 'package.json']);
    const json = (name: string) => JSON.parse(Buffer.from(files[name] ?? []).toString());
    expect(json('package.json')).toMatchObject({
      main: 'index.cjs',
      dependencies: { '@google-cloud/functions-framework': expect.any(String) },
    });
    const locked = Object.values<{ dev?: boolean; hasInstallScript?: boolean }>(
      json('package-lock.json').packages,
    );
    expect(locked.filter(({ dev }) => dev)).toEqual([]);
    expect(locked.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
  });

  test('creates the function as documented', () => {
    const name = `projects/${ID}/locations/us-central1/functions/pohAttestationsEndpoint`;
    expect(project.store.resources.get(name)).toMatchObject({
      buildConfig: { runtime: 'nodejs24', entryPoint: 'pohAttestationsEndpoint' },
      serviceConfig: {
        serviceAccountEmail: `poh-lookup@${ID}.iam.gserviceaccount.com`,
        availableMemory: '1024Mi',
        availableCpu: '1',
        maxInstanceCount: 10,
        maxInstanceRequestConcurrency: 80,
        timeoutSeconds: 30,
      },
    });
  });

  test('lets everybody call it, and nobody do anything else', () => {
    expect([...project.store.policies]).toEqual([
      [SERVICE, { bindings: [{ role: 'roles/run.invoker', members: ['allUsers'] }] }],
    ]);
  });

  test('keeps the images of earlier revisions for a year', () => {
    const name = `projects/${ID}/locations/us-central1/repositories/gcf-artifacts`;
    expect(project.store.resources.get(name)).toMatchObject({
      cleanupPolicies: { 'firebase-functions-cleanup': { condition: { olderThan: '31536000s' } } },
    });
  });

  test.each(firebaseConfig.hosting)('releases the $target with its headers', (site) => {
    const name = `sites/${ID}-${site.target === 'site' ? 'attestations' : 'console'}`;
    const version = project.store.names('versions').find((one) => one.includes(name)) ?? '';
    const release = project.calls.find(
      ({ path, query }) =>
        path.endsWith(`${name}/channels/live/releases`) && query.get('versionName') === version,
    );
    expect(release).toBeDefined();
    const headers = site.headers.map(({ source, headers: rows }) => ({
      glob: source,
      headers: Object.fromEntries(rows.map(({ key, value }) => [key, value])),
    }));
    expect(project.store.resources.get(version)).toMatchObject({
      status: 'FINALIZED',
      config: { headers },
    });
    if (site.target !== 'site') return;
    expect(project.store.resources.get(version)).toMatchObject({
      config: {
        rewrites: [
          {
            glob: '/pohAttestationsEndpoint',
            run: { serviceId: 'pohattestationsendpoint', region: 'us-central1' },
          },
        ],
      },
    });
    const uploaded = project.calls.find(({ path }) =>
      path.endsWith(`${version.split('/').slice(2).join('/')}:populateFiles`),
    );
    expect(uploaded?.body).toMatchObject({
      files: { '/.well-known/http-message-signatures-directory': expect.any(String) },
    });
  });

  test('releases the rules', () => {
    const release = project.store.resources.get(`projects/${ID}/releases/cloud.firestore`);
    const content = readFileSync(join(checkout.folder, 'firestore.rules'), 'utf8');
    expect(project.store.resources.get(String(release?.['rulesetName']))).toMatchObject({
      source: { files: [{ name: 'firestore.rules', content }] },
    });
  });
});

test('a second deployment without changes skips the function and succeeds', TIMEOUT, async () => {
  const changes = await callsDuring(/^(POST|PATCH) cloudfunctions.*\/functions/, async () => {
    const { status, output } = await run(DEPLOYING_AGAIN);
    expect(output).toContain('Skipped (No changes detected)');
    expect(status, output).toBe(0);
  });
  expect(changes).toEqual([]);
});

describe('a new project that CI deploys to', () => {
  let earlier: GoogleProject;

  beforeAll(async () => {
    earlier = project;
    project = await newProject();
    for (const words of ['sites:create acme-poh-att', 'sites:create acme-poh-con', "printf '%s"]) {
      await run(documented(words));
    }
  }, 60_000);

  afterAll(async () => {
    await project[Symbol.asyncDispose]();
    project = earlier;
  });

  test('has its function, and neither site, without a cleanup policy', TIMEOUT, async () => {
    const { status, output } = await run(DEPLOYING_AGAIN);
    expect(output).toContain('could not set up cleanup policy');
    expect(status).toBe(1);
    expect(functions()).toEqual(['us-central1']);
    expect(project.store.names('releases').filter((name) => name.includes('/sites/'))).toEqual([]);
  });

  test(
    'stays closed when allUsers is refused, and the next deployment does not say so',
    TIMEOUT,
    async () => {
      await run(documented('artifacts:setpolicy'));
      await run(`npx firebase functions:delete pohAttestationsEndpoint --project ${ID} --force`);
      project.store.policies.clear();
      project.refuse(
        /run\.googleapis\.com.*:setIamPolicy$/,
        refusal(
          400,
          'FAILED_PRECONDITION',
          'One or more users named in the policy do not belong to a permitted customer.',
        ),
      );
      const refused = await run(DEPLOYING_AGAIN);
      expect(refused.output).toContain('Unable to set the invoker');
      expect(refused.status).not.toBe(0);
      const repeated = await run(DEPLOYING_AGAIN);
      expect(repeated.output).toContain('Skipped (No changes detected)');
      expect(repeated.status).toBe(0);
      expect(project.store.policies.has(SERVICE)).toBe(false);
    },
  );
});

test(
  'with a signing key the function gets the secret, and its account may read it',
  TIMEOUT,
  async () => {
    const [create = '', , ...deployments] = documentedCommands('Signed responses', ID);
    const secret = /functions:secrets:set (\w+)/.exec(create)?.[1] ?? '';
    expect(await run(create)).toMatchObject({ status: 0 });
    expect((await run('npm run build')).status).toBe(0);
    for (const command of deployments.slice(0, 2)) {
      const { status, output } = await run(command);
      expect(status, `${command}\n${output}`).toBe(0);
    }
    expect(project.store.policies.get(`projects/${ID}/secrets/${secret}`)).toMatchObject({
      bindings: [
        {
          role: 'roles/secretmanager.secretAccessor',
          members: [`serviceAccount:poh-lookup@${ID}.iam.gserviceaccount.com`],
        },
      ],
    });
    const name = `projects/${ID}/locations/us-central1/functions/pohAttestationsEndpoint`;
    expect(project.store.resources.get(name)).toMatchObject({
      serviceConfig: { secretEnvironmentVariables: [{ key: secret, secret }] },
    });
  },
);

describe('a move to another region', () => {
  const MOVE = 'Move to another region';
  const deployment = documented('npx firebase deploy', MOVE);

  test('stops in a script before anything is made', TIMEOUT, async () => {
    await run(documented('sed -i', MOVE));
    const { status, output } = await run(`${deployment} --non-interactive`);
    expect(output).toContain('deletion cannot proceed in non-interactive mode');
    expect(status).toBe(1);
    expect(functions()).toEqual(['us-central1']);
  });

  test(
    'keeps the old function when the answer is No, and leads Hosting to the new one',
    TIMEOUT,
    async () => {
      const answers = { 'proceed with deletion?': 'n', 'How many days': '' };
      const { status, output } = await run(deployment, answers);
      expect(status, output).toBe(0);
      expect(functions()).toEqual(['us-central1', 'us-east1']);
      const version = project.store
        .names('versions')
        .filter((name) => name.includes('attestations/'))
        .at(-1);
      expect(project.store.resources.get(version ?? '')).toMatchObject({
        config: { rewrites: [{ run: { region: 'us-east1' } }] },
      });
      expect(await run(documented('artifacts:setpolicy', MOVE))).toMatchObject({ status: 0 });
    },
  );

  test('ends with the deletion of the old one', TIMEOUT, async () => {
    expect(await run(documented('functions:delete', MOVE))).toMatchObject({ status: 0 });
    expect(functions()).toEqual(['us-east1']);
  });
});
