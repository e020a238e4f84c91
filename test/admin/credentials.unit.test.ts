// Tests the sentences about errors of Google's libraries, which are many lines of JSON.

import { expect, test } from 'vitest';
import { credentialFailure, isRefusal } from '../../admin/frame/credentials.ts';

const PROJECT = 'poh-production';
const LOGIN = 'run `gcloud auth application-default login`';
const FILE = '/home/ops/key.json';
const BY_HOUR = 'docs/administration.md says under "Who can do what"';

/** An error of Google's HTTP client, as with credentials that were revoked. */
const http = (status: number, error: unknown, message = '') => ({
  message,
  response: { status, data: { error } },
});
const grpc = (code: number, message: string) => ({ code, message });
/** An error of Firebase Authentication. */
const auth = (status: number, message: string) => ({
  code: 'auth/internal-error',
  message,
  httpResponse: { status, data: { error: { message } } },
});

test.each<[string, object, string]>([
  [
    'missing credentials',
    { message: 'Could not load the default credentials. Browse to https://...' },
    `No Google credentials were found. To sign in, ${LOGIN}.`,
  ],
  [
    'credentials that Firestore refuses',
    grpc(16, 'Unauthenticated'),
    `To sign in again, ${LOGIN}.`,
  ],
  [
    'a machine without an account',
    { message: 'Could not refresh access token: ...' },
    `Give the machine a service account, or ${LOGIN}.`,
  ],
  ['a token endpoint that fails', http(503, undefined), '(HTTP 503). Try again later.'],
  [
    'no network',
    { message: '', code: 'ECONNREFUSED' },
    'Google could not be reached (ECONNREFUSED)',
  ],
  ['Firestore without a role', grpc(7, 'Missing or insufficient permissions.'), BY_HOUR],
  [
    'impersonation without its API',
    http(403, {}, 'PERMISSION_DENIED: unable to impersonate: API has not been used in project 1'),
    `gcloud services enable iamcredentials.googleapis.com --project ${PROJECT}`,
  ],
  [
    'a project without Firestore',
    grpc(7, 'Cloud Firestore API has not been used in project 1 before'),
    `gcloud services enable firestore.googleapis.com --project ${PROJECT}`,
  ],
  [
    'a project without a database',
    grpc(5, 'The database (default) does not exist for project'),
    `gcloud firestore databases create --project ${PROJECT} --location LOCATION`,
  ],
  ['an exhausted quota', grpc(8, 'Quota exceeded.'), 'Try again in a minute'],
  ['a lost connection', grpc(14, 'No connection established.'), 'Check the network.'],
  [
    'Authentication without a role',
    auth(403, 'The caller does not have permission'),
    'docs/administration.md says under "Users and their wallets" which role it needs',
  ],
  [
    'Authentication without a quota project',
    auth(403, 'The identitytoolkit.googleapis.com API requires a quota project'),
    `gcloud auth application-default set-quota-project ${PROJECT}`,
  ],
])('%s', (_, error, says) => {
  const message = credentialFailure(error, PROJECT, {})?.message;
  expect(message).toContain(says);
  // A role that this named would be permanent.
  expect(message).not.toMatch(/add-iam-policy-binding|[{}]|\n/);
});

test.each<[string, object, string]>([
  ['that Google refuses', http(400, 'invalid_grant'), `in ${FILE} (invalid_grant). Name another`],
  ['that does not exist', { message: '', code: 'ENOENT' }, `in ${FILE} cannot be read. Name`],
  ['that is not JSON', { message: 'Unexpected end of JSON input' }, `in ${FILE} cannot be read.`],
])('a file of credentials %s', (_, error, says) => {
  const env = { GOOGLE_APPLICATION_CREDENTIALS: FILE };
  expect(credentialFailure(error, PROJECT, env)?.message).toContain(says);
});

test.each<[boolean, object]>([
  [true, auth(400, 'CLAIMS_TOO_LARGE')],
  [false, auth(503, 'Unavailable')],
  [false, grpc(14, 'No connection established.')],
])('whether nothing was changed: %s after %j', (isKnown, error) => {
  expect(isRefusal(error)).toBe(isKnown);
});
