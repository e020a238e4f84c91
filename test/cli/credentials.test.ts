// Tests unusable credentials with Google's own libraries, in a process of its own as an admin has.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { respondJson } from '../doubles/callFaults.ts';
import { createGoogleCloud, type GoogleCloud } from '../doubles/googleCloud.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { spawnAdmin, USER_CREDENTIALS } from './adminCommand.ts';

const folder = temporaryFolder();
const file = join(folder, 'application_default_credentials.json');
const impersonated = {
  type: 'impersonated_service_account',
  service_account_impersonation_url:
    'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/poh-keys@poh-production.iam.gserviceaccount.com:generateAccessToken',
  source_credentials: USER_CREDENTIALS,
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
  const result = await spawnAdmin(words, env);
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
    'The credentials are not JSON. Run `gcloud auth application-default login',
  ],
  [
    'that have expired',
    USER_CREDENTIALS,
    ({ tokenEndpoint }) => tokenEndpoint.service.failAll('token', expired),
    'invalid_grant. Run `gcloud auth application-default login --impersonate-service-account poh-keys@poh-production.iam',
  ],
  [
    'of an account whose hour is over',
    impersonated,
    ({ tokenEndpoint }) => tokenEndpoint.service.failAll('generateAccessToken', notPermitted),
    `${message}. Run \`gcloud auth application-default login`,
  ],
])('credentials %s end a command, with the next step', async (_, credentials, fault, says) => {
  const { status, stdout, stderr } = await listKeys(credentials, fault);
  expect(stderr).toContain(says);
  // One line names the project; the other is the failure.
  expect(stderr.trim().split('\n')).toHaveLength(2);
  expect(stderr).not.toMatch(/[{}]|refresh-token|client-secret/);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});

test.each<[string, (google: GoogleCloud) => void]>([
  ['that have expired', ({ tokenEndpoint }) => tokenEndpoint.service.failAll('token', expired)],
  ['whose request fails', ({ env }) => Object.assign(env, { NODE_EXTRA_CA_CERTS: '' })],
])('--verbose shows the stack trace of credentials %s, but no secret', async (_, fault) => {
  const { stderr } = await listKeys(USER_CREDENTIALS, fault, '--verbose');
  expect(stderr).toMatch(/^ {4}at .*google-auth-library/m);
  expect(stderr).not.toMatch(/refresh-token|client-secret/);
});
