// Follows docs/deploy.md on one project in a double of Google, with the real firebase-tools and gcloud: the first
// deployment, what it uploads, later deployments, roll back, a signing key, and moves to other regions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import firebaseConfig from '../../firebase.json' with { type: 'json' };
import { startGoogleProject } from '../../tools/doubles/deployment/project.ts';
import { DEFAULT_ACCOUNT } from '../../tools/doubles/deployment/resources.ts';
import { refusal } from '../../tools/doubles/deployment/store.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { hasGcloud, makeCheckout, plantFiles, skipPredeploy } from './checkout.ts';
import { documentedCommand, documentedCommands } from './documents.ts';
import { environmentOf, testInstalled } from './installed.ts';

const ID = 'acme-poh';
const P = `projects/${ID}`;
const INVOKER = { role: 'roles/run.invoker', members: ['allUsers'] };
const LOOKUP_ACCOUNT = `poh-lookup@${ID}.iam.gserviceaccount.com`;
const FIRST = 'For the first time';
const MOVE = 'Move to another region';
const DOWN = 'When a region is down';
const FUNCTION = `${P}/locations/us-central1/functions/pohAttestationsEndpoint`;
const SERVICE = `${P}/locations/us-central1/services/pohattestationsendpoint`;
const REPOSITORY = `${P}/locations/us-central1/repositories/gcf-artifacts`;
const documented = (words: string, heading = FIRST) => documentedCommand(heading, words, ID);
const AGAIN = documented('npx firebase deploy', 'Deploying again');

const checkout = makeCheckout();
const project = await startGoogleProject(ID);
const { store } = project;
const folder = temporaryFolder();

const run = (command: string, answers?: Record<string, string>) =>
  checkout.run(command, project.env, answers);
async function succeed(command: string) {
  const outcome = await run(command);
  expect(outcome.status, `${command}\n${outcome.output}`).toBe(0);
  return outcome;
}
const uploaded = () => unzipSync(store.files.get('source.zip') ?? Buffer.alloc(0));
const regions = () => store.names('functions').map((name) => name.split('/')[3]);
/** Deploys to the region in .env.ID, and keeps the function in the old region. */
const moveAndKeepOld = () =>
  run(documented('npx firebase deploy', MOVE), {
    'proceed with deletion?': 'n',
    'How many days': '',
  });
async function deployToFirstRegion() {
  store.unreachable = undefined;
  for (const name of store.names('functions')) store.resources.delete(name);
  await succeed(`sed -i s/us-east1/us-central1/ .env.${ID}`);
  await succeed(`npx firebase deploy --project ${ID} --only functions,hosting:site --force`);
  expect([regions(), siteRegion()]).toEqual([['us-central1'], 'us-central1']);
}
function configOf(version: string) {
  const { config } = store.resources.get(version) as {
    config?: { rewrites: [{ run: { region: string } }] };
  };
  return config;
}
/** The region to which the site sends lookups. */
const siteRegion = () => {
  const ofSite = (name: string) => name.includes(`/${ID}-attestations/`);
  const release = store.names('releases').filter(ofSite).at(-1) ?? '';
  expect(store.resources.has(release)).toBe(true);
  // A deployment that fails leaves a version that was never released, which has no configuration.
  const configs = store
    .names('versions')
    .filter(ofSite)
    .map((name) => configOf(name));
  return configs.findLast((config) => config !== undefined)?.rewrites[0].run.region;
};
const releases = () => store.names('releases').filter((name) => name.includes('/sites/')).length;

beforeAll(async () => {
  const identity = 'git config user.name ops && git config user.email ops@example.com';
  await succeed(`git init -q && ${identity} && git add -A && git commit -qm "A release"`);
  store.put(`${P}/databases/(default)`, { type: 'FIRESTORE_NATIVE', locationId: 'nam5' });
  store.put(`${P}/serviceAccounts/${LOOKUP_ACCOUNT}`, {});
  store.put(`${P}/sites/${ID}`, { type: 'DEFAULT_SITE' });
  // `apply.test.ts` checks that deploy/apply.sh grants it.
  const members = [`serviceAccount:${DEFAULT_ACCOUNT}`];
  store.policies.set(P, { bindings: [{ role: 'roles/cloudbuild.builds.builder', members }] });
  plantFiles(checkout);
});
afterAll(() => project[Symbol.asyncDispose]());

describe('the first deployment', () => {
  test('each command of the first steps succeeds', async () => {
    const commands = documentedCommands(FIRST, ID).filter((line) =>
      /^(printf '%s.n'|npx firebase |git )/.test(line),
    );
    expect(commands).toHaveLength(11);
    // A test cannot log in.
    for (const command of commands) await succeed(command.replace('npx firebase login && ', ''));
    // Later deployments use the same build.
    skipPredeploy(checkout);
  });

  test('creates the function as documented, from the bundle and a lockfile with only functions-framework', () => {
    const files = uploaded();
    expect(Object.keys(files).sort()).toEqual(['index.cjs', 'package-lock.json', 'package.json']);
    const json = (name: string) => JSON.parse(Buffer.from(files[name] ?? []).toString());
    expect(json('package.json')).toMatchObject({
      main: 'index.cjs',
      dependencies: { '@google-cloud/functions-framework': expect.any(String) },
    });
    const locked = Object.values<object>(json('package-lock.json').packages);
    expect(locked.filter((one) => 'dev' in one || 'hasInstallScript' in one)).toEqual([]);
    expect(store.resources.get(FUNCTION)).toMatchObject({
      // Step 5 changes .firebaserc, which is committed later.
      labels: { commit: expect.stringMatching(/^[0-9a-f]{12}-dirty$/) },
      buildConfig: { runtime: 'nodejs24', entryPoint: 'pohAttestationsEndpoint' },
      serviceConfig: {
        serviceAccountEmail: LOOKUP_ACCOUNT,
        availableMemory: '1024Mi',
        availableCpu: '1',
        maxInstanceCount: 10,
        maxInstanceRequestConcurrency: 80,
        timeoutSeconds: 30,
      },
    });
  });

  test('allows everybody to call the function, and to do nothing else', () => {
    expect([...store.policies].filter(([name]) => name !== P)).toEqual([
      [SERVICE, { bindings: [INVOKER] }],
    ]);
  });

  test('keeps the images of earlier revisions for a year', () => {
    expect(store.resources.get(REPOSITORY)).toMatchObject({
      cleanupPolicies: { 'firebase-functions-cleanup': { condition: { olderThan: '31536000s' } } },
    });
  });

  test.each(firebaseConfig.hosting)('releases the $target with its headers', (site) => {
    const name = `sites/${ID}-${site.target === 'site' ? 'attestations' : 'console'}`;
    const version = store.names('versions').find((one) => one.includes(name)) ?? '';
    const headers = site.headers.map(({ source, headers: rows }) => ({
      glob: source,
      headers: Object.fromEntries(rows.map(({ key, value }) => [key, value])),
    }));
    const finalized = { status: 'FINALIZED', config: { headers } };
    expect(store.resources.get(version)).toMatchObject(finalized);
    const calls = project.calls.filter(({ path }) => path.includes(name));
    const releases = calls.filter(({ path }) => path.endsWith('/live/releases'));
    expect(releases.map(({ query }) => query.get('versionName'))).toEqual([version]);
    if (site.target !== 'site') return;
    expect(siteRegion()).toBe('us-central1');
    const files = calls.find(({ path }) => path.endsWith(':populateFiles'))?.body;
    expect(files).toHaveProperty(['files', '/.well-known/http-message-signatures-directory']);
    // Only a build that knows the site's address has it.
    expect(files).toHaveProperty(['files', '/.well-known/security.txt']);
  });

  test('releases the rules', () => {
    const release = store.resources.get(`${P}/releases/cloud.firestore`);
    const content = readFileSync(join(checkout.folder, 'firestore.rules'), 'utf8');
    expect(store.resources.get(String(release?.['rulesetName']))).toMatchObject({
      source: { files: [{ name: 'firestore.rules', content }] },
    });
  });
});

/** The oldest version of npm 11, which Node 24 includes, and the newest version of npm. */
describe.each(['11.0.0', '12.2.0'])('the archive, installed with npm %s', (version) => {
  testInstalled(version, join(folder, version), () => ({
    archive: uploaded(),
    environment: environmentOf(store.resources.get(FUNCTION), ID),
  }));
});

describe('later deployments', () => {
  test('without changes, the function is skipped', async () => {
    const before = project.calls.length;
    const { output } = await succeed(AGAIN);
    expect(output).toContain('Skipped (No changes detected)');
    const calls = project.calls.slice(before).map(({ what }) => what);
    expect(calls.filter((what) => /^(POST|PATCH) cloudfunctions.*\/functions/.test(what))).toEqual(
      [],
    );
  });

  test.skipIf(!hasGcloud).each([
    ['revisions list', undefined],
    ['--to-revisions', [{ revisionName: 'pohattestationsendpoint-00001-abc', percent: 100 }]],
    ['--to-latest', [{ latestRevision: true, percent: 100 }]],
  ])('Roll back: %s', async (words, traffic) => {
    const command = documented(words, 'Roll back');
    await succeed(command.replace('REVISION', 'pohattestationsendpoint-00001-abc'));
    expect(store.resources.get(`namespaces/${ID}/services/pohattestationsendpoint`)).toEqual(
      traffic && expect.objectContaining({ spec: expect.objectContaining({ traffic }) }),
    );
  });

  test.skipIf(!hasGcloud)('a signing key is bound to the function, which may read it', async () => {
    const [create = '', add = '', , ...deployments] = documentedCommands('Signed responses', ID);
    const secret = /gcloud secrets create (\w+)/.exec(create)?.[1] ?? '';
    for (const command of [create, add, 'npm run build', ...deployments.slice(0, 2)]) {
      await succeed(command);
    }
    const members = [`serviceAccount:${LOOKUP_ACCOUNT}`];
    expect(store.policies.get(`${P}/secrets/${secret}`)).toMatchObject({
      bindings: [{ role: 'roles/secretmanager.secretAccessor', members }],
    });
    expect(store.resources.get(FUNCTION)).toMatchObject({
      serviceConfig: { secretEnvironmentVariables: [{ key: secret, secret }] },
    });
  });
});

describe('a move to another region', () => {
  test('stops before it creates anything if there is no terminal', async () => {
    await succeed(documented('sed -i', MOVE));
    const { status, output } = await run(
      `${documented('npx firebase deploy', MOVE)} --non-interactive`,
    );
    expect(output).toContain('deletion cannot proceed in non-interactive mode');
    expect(status).toBe(1);
    expect(regions()).toEqual(['us-central1']);
  });

  test('keeps the old function if the answer is No, and points Hosting to the new one', async () => {
    const { status, output } = await moveAndKeepOld();
    expect(status, output).toBe(0);
    expect(regions()).toEqual(['us-central1', 'us-east1']);
    expect(siteRegion()).toBe('us-east1');
    await succeed(documented('artifacts:setpolicy', MOVE));
  });

  test('ends with the deletion of the old function', async () => {
    await succeed(documented('functions:delete', MOVE));
    expect(regions()).toEqual(['us-east1']);
  });

  test('is undone by a checkout without the new .env file, even if the answer is No', async () => {
    await succeed(`sed -i s/us-east1/us-central1/ .env.${ID}`);
    const { status, output } = await moveAndKeepOld();
    expect(status, output).toBe(0);
    expect(regions().sort()).toEqual(['us-central1', 'us-east1']);
    expect(siteRegion()).toBe('us-central1');
  });
});

describe.each([
  ['its API does not respond', 'us-central1', ['us-central1', 'us-east1']],
  ['its API responds', undefined, ['us-east1']],
])('when a region is down, and %s', (_title, unreachable, expected) => {
  test('the site points to the new region, without a terminal', async () => {
    await deployToFirstRegion();
    store.unreachable = unreachable;
    for (const command of documentedCommands(DOWN, ID)) await succeed(command);
    expect([regions(), siteRegion()]).toEqual([expected, 'us-east1']);
  });
});

describe('when a region is down, and refuses the deletion', () => {
  test('the site points to the old region until a deployment keeps the function there', async () => {
    await deployToFirstRegion();
    project.refuse(/^DELETE .*cloudfunctions/);
    await succeed(documented('sed -i', DOWN));
    const failed = await run(documented('npx firebase deploy', DOWN));
    expect(failed.status, failed.output).not.toBe(0);
    expect([regions(), siteRegion()]).toEqual([['us-central1', 'us-east1'], 'us-central1']);
    const { status, output } = await moveAndKeepOld();
    expect(status, output).toBe(0);
    expect([regions(), siteRegion()]).toEqual([['us-central1', 'us-east1'], 'us-east1']);
    project.refuse();
  });
});

describe('in CI', () => {
  test('a new project gets the function but neither site, because of the cleanup policy', async () => {
    store.unreachable = undefined;
    for (const name of [...store.names('functions'), ...store.names('repositories')]) {
      store.resources.delete(name);
    }
    await succeed(`sed -i s/us-east1/us-central1/ .env.${ID}`);
    const before = releases();
    const { status, output } = await run(AGAIN);
    expect(output).toContain('could not set up cleanup policy');
    expect(status).toBe(1);
    expect([regions(), releases()]).toEqual([['us-central1'], before]);
  });

  test('if allUsers is refused, the function is not public, and the next deployment does not report that', async () => {
    await succeed(documented('artifacts:setpolicy'));
    await succeed(`npx firebase functions:delete pohAttestationsEndpoint --project ${ID} --force`);
    store.policies.delete(SERVICE);
    const message = 'One or more users named in the policy do not belong to a permitted customer.';
    const forbidden = refusal(400, 'FAILED_PRECONDITION', message);
    project.refuse(/run\.googleapis\.com.*:setIamPolicy$/, forbidden);
    const refused = await run(AGAIN);
    expect(refused.output).toContain('Unable to set the invoker');
    expect(refused.status).not.toBe(0);
    const repeated = await succeed(AGAIN);
    expect(repeated.output).toContain('Skipped (No changes detected)');
    expect(store.policies.has(SERVICE)).toBe(false);
  });

  test.skipIf(!hasGcloud)('the documented command then makes the function public', async () => {
    project.refuse();
    await succeed(documented('add-iam-policy-binding', 'When callers get 403'));
    expect(store.policies.get(SERVICE)).toMatchObject({ bindings: [INVOKER] });
  });

  test.skipIf(!hasGcloud)(
    'an account without a key has the roles, for one repository',
    async () => {
      const account = `poh-deploy@${ID}.iam.gserviceaccount.com`;
      for (const command of documentedCommands('From CI', ID)) await succeed(command);
      const bindings = store.policies.get(P)?.bindings ?? [];
      const ofAccount = bindings.filter(({ members }) =>
        members.includes(`serviceAccount:${account}`),
      );
      expect(ofAccount).toHaveLength(8);
      expect(store.policies.get(`${P}/serviceAccounts/${account}`)?.bindings).toMatchObject([
        {
          role: 'roles/iam.workloadIdentityUser',
          members: [expect.stringMatching(/\/OWNER\/REPO$/)],
        },
      ]);
    },
  );
});
