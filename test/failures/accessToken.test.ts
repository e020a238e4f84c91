// The access token of a deployed function: each kind of credentials, and a metadata server that fails.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGoogleApis, type GoogleApis } from '../../doubles/googleApis.ts';
import { createGoogleCloud, type GoogleCloud } from '../../doubles/googleCloud.ts';
import type { TokenFault } from '../../doubles/metadataServer.ts';
import { randomAddress } from '../../sandbox/random.ts';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { loggedEntries } from '../support/log.ts';
import { seedKey } from '../support/seed.ts';

/** An unknown key costs one read, which needs a token; the database then decides. */
const REQUEST = { key: 'unknown', target: '?wallet=unknown' };
const PROJECT = process.env['GCLOUD_PROJECT'] ?? '';

let google: GoogleCloud;
let served: ServedFunction | undefined;

beforeEach(async () => {
  google = await createGoogleCloud(process.env['FIRESTORE_EMULATOR_HOST'] ?? '');
});

afterEach(async () => {
  await served?.stop();
  google.close();
});

const statusOfRequest = async (): Promise<number> =>
  (await send(served?.url ?? '', REQUEST)).status;

const FAULTS: TokenFault[] = ['unavailable', 'forbidden', 'reset', 'hanging'];

describe.each(FAULTS)('a metadata server that is %s', (fault) => {
  test('for a moment while an instance starts delays the first response', async () => {
    google.metadata.faults.push(fault, ...(fault === 'hanging' ? [] : [fault, fault]));
    served = await serveFunction(google.env);
    expect(await statusOfRequest()).toBe(401);
    expect(google.metadata.mostAtOnce()).toBe(1);
  });

  test('while the token is still valid is not noticed', async () => {
    // Due to be refreshed at once, but valid.
    google.metadata.setLifetime(120);
    served = await serveFunction(google.env);
    expect(await statusOfRequest()).toBe(401);
    google.metadata.failWith(fault);
    const before = google.metadata.requests();
    const statuses = Array.from({ length: 20 }, statusOfRequest);
    expect(await Promise.all(statuses)).toEqual(Array(20).fill(401));
    await expect.poll(google.metadata.requests).toBeGreaterThan(before);
    expect(google.metadata.mostAtOnce()).toBe(1);
  });
});

test.each<TokenFault>(['forbidden', 'hanging'])(
  'a metadata server that is %s when the token has expired fails requests in time, and not the first after it',
  async (fault) => {
    // Too short to be used for another read.
    google.metadata.setLifetime(5);
    served = await serveFunction(google.env);
    expect(await statusOfRequest()).toBe(401);
    google.metadata.failWith(fault);
    expect(await statusOfRequest()).toBe(500);
    expect(loggedEntries(served.output())).toContainEqual(
      expect.objectContaining({
        code: 'internal',
        cause: expect.objectContaining({
          stack: expect.stringContaining('No access token could be fetched'),
        }),
      }),
    );
    google.metadata.failWith(undefined);
    google.metadata.setLifetime(3_600);
    expect(await statusOfRequest()).toBe(401);
    expect(google.database.calls.at(-1)).toMatchObject({
      authorization: `Bearer ${google.metadata.tokens.at(-1)}`,
    });
  },
);

test('a metadata server that takes 3 seconds delays the first response', async () => {
  google.metadata.setDelay(3_000);
  served = await serveFunction(google.env);
  expect(await statusOfRequest()).toBe(401);
  expect(google.metadata.requests()).toBe(1);
});

describe('the kinds of credentials', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const serviceAccount = {
    type: 'service_account',
    project_id: PROJECT,
    private_key_id: 'key',
    private_key: privateKey,
    client_email: `lookup@${PROJECT}.iam.gserviceaccount.com`,
    client_id: '1',
  };
  const user = {
    type: 'authorized_user',
    client_id: 'client',
    client_secret: 'secret',
    refresh_token: 'refresh',
    quota_project_id: 'payer',
  };
  const wallet = randomAddress();
  let apis: GoogleApis;

  beforeEach(async () => {
    apis = await createGoogleApis({ wallet });
  });
  afterEach(() => apis.close());

  const file = (credentials: object): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'credentials-')), 'credentials.json');
    writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 });
    return path;
  };
  const NO_PROJECT = { GCLOUD_PROJECT: '', GOOGLE_CLOUD_PROJECT: '', FIREBASE_CONFIG: '' };
  const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

  test.each([
    { kind: 'the metadata server', env: () => ({}), grants: 0 },
    {
      kind: 'a service account’s key file, on Cloud Run',
      env: () => ({ GOOGLE_APPLICATION_CREDENTIALS: file(serviceAccount) }),
      grants: JWT_GRANT,
    },
    {
      kind: 'a key file that alone names the project, elsewhere',
      env: () => ({
        GOOGLE_APPLICATION_CREDENTIALS: file(serviceAccount),
        K_SERVICE: '',
        ...NO_PROJECT,
      }),
      grants: JWT_GRANT,
    },
    {
      kind: 'a user’s application default credentials',
      env: () => ({ GOOGLE_APPLICATION_CREDENTIALS: file(user), K_SERVICE: '' }),
      grants: 'refresh_token',
      payer: 'payer',
    },
  ])('$kind: Firestore and Authentication get the token', async ({ env, grants, payer }) => {
    served = await serveFunction({ ...google.env, ...apis.env, ...env() });
    const key = await seedKey();
    const response = await send(served.url, { key, target: '?email=person@example.com' });
    expect(response.status).toBe(200);
    const token = grants ? apis.accessToken : google.metadata.tokens[0];
    expect(new Set(apis.grants)).toEqual(new Set(grants ? [grants] : []));
    const sent = {
      authorization: `Bearer ${token}`,
      ...(payer && { 'x-goog-user-project': payer }),
    };
    for (const headers of [...google.database.calls, ...apis.authCalls])
      expect(headers).toMatchObject(sent);
    expect(google.database.calls[0]).toMatchObject({
      'google-cloud-resource-prefix': `projects/${PROJECT}/databases/(default)`,
    });
  });
});
