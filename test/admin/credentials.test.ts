// Tests unusable credentials with Google's own libraries, in a process of its own as an admin has.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { respondJson, unanswered } from '../../tools/doubles/callFaults.ts';
import { createGoogleCloud, type GoogleCloud } from '../../tools/doubles/googleCloud.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { spawnAdmin } from './adminCommand.ts';

/** The documented 15 seconds, and 15 for a busy machine. Without the deadline, a command ends after 60 seconds. */
const ENDS_WITHIN_MS = 30_000;

const folder = temporaryFolder();
const file = join(folder, 'application_default_credentials.json');
const user = {
  type: 'authorized_user',
  client_id: 'client.apps.googleusercontent.com',
  client_secret: 'client-secret',
  refresh_token: 'refresh-token',
};
const impersonated = {
  type: 'impersonated_service_account',
  service_account_impersonation_url:
    'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/poh-keys@poh-production.iam.gserviceaccount.com:generateAccessToken',
  source_credentials: user,
};

/** Runs a command in production with these credentials in gcloud's default file, against doubles of Google. */
async function listKeys(
  credentials: object | string,
  prepare?: (google: GoogleCloud) => void,
  ...options: string[]
) {
  const text = typeof credentials === 'string' ? credentials : JSON.stringify(credentials);
  writeFileSync(file, text, { mode: 0o600 });
  const google = await createGoogleCloud();
  prepare?.(google);
  const env = {
    ...google.env,
    METADATA_SERVER_DETECTION: 'none',
    GCE_METADATA_HOST: undefined,
    K_SERVICE: undefined,
    HOME: folder,
    CLOUDSDK_CONFIG: folder,
  };
  const words = ['--firebase-project', 'poh-production', ...options, 'keys', 'list'];
  const result = await spawnAdmin(words, { env });
  google.close();
  return result;
}

const expired = respondJson({ error: 'invalid_grant' }, 400);
const message = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource";
const notPermitted = respondJson({ error: { code: 403, message } }, 403);

test.each<[string, object | string, ((google: GoogleCloud) => void) | undefined, string]>([
  [
    'that are not JSON',
    '{"refresh_token":refresh-token}',
    undefined,
    'The credentials of gcloud cannot be read. To sign in again, run `gcloud',
  ],
  [
    'that have expired',
    user,
    ({ tokenEndpoint }) => tokenEndpoint.service.failAll('token', expired),
    'The credentials have expired or were revoked (invalid_grant). To sign in again, run `gcloud',
  ],
  [
    'for which Google sends no token',
    user,
    ({ tokenEndpoint }) => tokenEndpoint.service.failAll('token', unanswered),
    'Google does not return an access token. Check the network and the proxy',
  ],
  [
    'of an account whose hour is over',
    impersonated,
    ({ tokenEndpoint }) => tokenEndpoint.service.failAll('generateAccessToken', notPermitted),
    'Your account may not act as the service account of these credentials, or no longer. docs/administration.md says under "Who can do what"',
  ],
])(
  'credentials %s end a command in time, with the next step',
  async (_, credentials, fault, says) => {
    const { status, stdout, stderr, milliseconds } = await listKeys(credentials, fault);
    expect(stderr).toContain(says);
    // One line names the project; the other is the failure.
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(stderr).not.toMatch(/[{}]|refresh-token|client-secret/);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(milliseconds).toBeLessThan(ENDS_WITHIN_MS);
  },
);

test.each<[string, (google: GoogleCloud) => void]>([
  ['that have expired', ({ tokenEndpoint }) => tokenEndpoint.service.failAll('token', expired)],
  ['whose request fails', ({ env }) => Object.assign(env, { NODE_EXTRA_CA_CERTS: '' })],
])('--verbose shows the stack trace of credentials %s, but no secret', async (_, fault) => {
  const { stderr } = await listKeys(user, fault, '--verbose');
  expect(stderr).toMatch(/^ {4}at .*google-auth-library/m);
  expect(stderr).not.toMatch(/refresh-token|client-secret/);
});

test('valid credentials are accepted', async () => {
  const { status, stderr } = await listKeys(user);
  expect(stderr).toContain('Firebase project poh-production in production');
  expect(status).toBe(0);
});
