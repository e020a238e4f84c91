// Runs the first steps of docs/deploy.md with the real firebase-tools against a double of Google.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import firebaseConfig from '../../firebase.json' with { type: 'json' };
import { skipPredeploy } from './checkout.ts';
import { documentedCommands } from './documents.ts';
import {
  DEPLOYING_AGAIN,
  FIRST,
  FUNCTION,
  ID,
  SERVICE,
  startRehearsal,
  TIMEOUT,
} from './rehearsal.ts';

/** Files with credentials or personal data, named as tools name them. None may be uploaded. */
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

const rehearsal = await startRehearsal();
const { checkout, project, succeed } = rehearsal;

beforeAll(() => {
  for (const folder of ['', 'functions', 'functions/lib']) {
    for (const name of PLANTED) plant(join(checkout.folder, folder, name));
  }
});

function plant(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
}

afterAll(() => rehearsal[Symbol.asyncDispose]());

describe('the first deployment', () => {
  test('each command of the first steps succeeds', TIMEOUT, async () => {
    const commands = documentedCommands(FIRST, ID).filter((line) =>
      /^(printf '%s.n'|npx firebase )/.test(line),
    );
    expect(commands).toHaveLength(10);
    // A test cannot log in.
    for (const command of commands) await succeed(command.replace('npx firebase login && ', ''));
    skipPredeploy(checkout);
  });

  test('uploads the bundle, and a lockfile with only functions-framework', () => {
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
    expect(project.store.resources.get(FUNCTION)).toMatchObject({
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

  test('allows everybody to call the function, and to do nothing else', () => {
    expect([...project.store.policies].filter(([name]) => name !== `projects/${ID}`)).toEqual([
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
  const before = project.calls.length;
  const { output } = await succeed(DEPLOYING_AGAIN);
  expect(output).toContain('Skipped (No changes detected)');
  const changes = project.calls
    .slice(before)
    .filter(({ what }) => /^(POST|PATCH) cloudfunctions.*\/functions/.test(what));
  expect(changes).toEqual([]);
});
