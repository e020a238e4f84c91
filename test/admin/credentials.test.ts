// Tests commands with unusable credentials. Each must fail in time and print the command that fixes it
// instead of Google's JSON.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  closedBeforeHeaders,
  page,
  refuseObject,
  respond,
  unanswered,
} from '../../tools/doubles/callFaults.ts';
import { createGoogleCloud } from '../../tools/doubles/googleCloud.ts';
import type { Fault } from '../../tools/doubles/standIn.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { spawnAdmin } from './adminCommand.ts';

const PROJECT = 'poh-production';
const LOGIN = 'run `gcloud auth application-default login`';
/** The documented 15 seconds, minus 3 for starting Node on a busy machine. */
const ENDS_WITHIN_MS = 12_000;

const folder = temporaryFolder();
const userFile = join(folder, 'user.json');
const user = {
  type: 'authorized_user',
  client_id: 'client.apps.googleusercontent.com',
  client_secret: 'client-secret',
  refresh_token: 'refresh-token',
};
const brokenFile = join(folder, 'broken.json');

beforeAll(() => {
  writeFileSync(userFile, JSON.stringify(user), { mode: 0o600 });
  writeFileSync(brokenFile, '{"type": "authorized_user", ');
});

/** A gRPC status and its message. */
type Denial = readonly [number, string];

/** Runs a command for a production project against a double of Google. */
async function run(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  tokenEndpoint?: Fault,
  denial?: Denial,
  accounts?: Fault,
) {
  const google = await createGoogleCloud();
  google.tokenEndpoint.service.failAll('token', tokenEndpoint);
  google.accounts.service.failAll('lookup', accounts);
  google.grpc.refuseWith(denial);
  const result = await spawnAdmin(['--firebase-project', PROJECT, ...command], {
    env: {
      ...google.env,
      METADATA_SERVER_DETECTION: 'none',
      GCE_METADATA_HOST: undefined,
      K_SERVICE: undefined,
      HOME: folder,
      CLOUDSDK_CONFIG: folder,
      ...env,
    },
  });
  google.close();
  return { ...result, tokenRequests: google.tokenEndpoint.service.calls.length };
}

const listKeys = (env: NodeJS.ProcessEnv, tokenEndpoint?: Fault, denial?: Denial) =>
  run(['keys', 'list'], env, tokenEndpoint, denial);

/**
 * Writes the file in which gcloud stores a user's credentials.
 *
 * @returns no variables, because this file is read by default
 */
function writeDefaultFile(): NodeJS.ProcessEnv {
  writeFileSync(join(folder, 'application_default_credentials.json'), JSON.stringify(user));
  return {};
}
const USER_VARIABLES = { GOOGLE_APPLICATION_CREDENTIALS: userFile };

const expired = respond(
  400,
  JSON.stringify({
    error: 'invalid_grant',
    error_description: 'Token has been expired or revoked.',
  }),
);
const signInAgain = respond(
  400,
  JSON.stringify({
    error: 'invalid_grant',
    error_description: 'reauth related error (invalid_rapt)',
    error_subtype: 'invalid_rapt',
    error_uri: 'https://support.google.com/a/answer/9368756',
  }),
);

interface Row {
  readonly title: string;
  readonly env: () => NodeJS.ProcessEnv;
  readonly tokenEndpoint?: Fault;
  readonly database?: Denial;
  readonly says: string;
}

const QUICK: readonly Row[] = [
  {
    title: 'missing',
    env: () => ({ CLOUDSDK_CONFIG: join(folder, 'none') }),
    says: `No Google credentials were found. To sign in, ${LOGIN}.`,
  },
  {
    title: 'expired',
    env: writeDefaultFile,
    tokenEndpoint: expired,
    says: `The credentials have expired or were revoked (invalid_grant). To sign in again, ${LOGIN}.`,
  },
  {
    title: 'that need a new sign-in',
    env: writeDefaultFile,
    tokenEndpoint: signInAgain,
    says: `The credentials have expired or were revoked (invalid_grant). To sign in again, ${LOGIN}.`,
  },
  {
    title: 'in a file, if Google refuses them',
    env: () => USER_VARIABLES,
    tokenEndpoint: expired,
    says: `Google refuses the credentials in ${userFile} (invalid_grant). Name another file in`,
  },
  {
    title: 'in a missing file',
    env: () => ({ GOOGLE_APPLICATION_CREDENTIALS: '/nowhere.json' }),
    says: `The credentials in /nowhere.json cannot be read. Name another file in`,
  },
  {
    title: 'in an invalid file',
    env: () => ({ GOOGLE_APPLICATION_CREDENTIALS: brokenFile }),
    says: `The credentials in ${brokenFile} cannot be read. Name another file in`,
  },
  {
    title: 'sent to an endpoint that fails',
    env: () => USER_VARIABLES,
    tokenEndpoint: page(503),
    says: 'Google returned no access token (HTTP 503). Try again later.',
  },
  {
    title: 'sent over a connection that is reset',
    env: () => USER_VARIABLES,
    tokenEndpoint: closedBeforeHeaders,
    says: 'Google could not be reached (',
  },
];

/** Cases in which the SDK retries for 7 seconds, or the command waits for 11. */
const WAITING: readonly Row[] = [
  {
    title: 'sent to an endpoint that hangs',
    env: () => USER_VARIABLES,
    tokenEndpoint: unanswered,
    says: 'Google does not return an access token. Check the network and the proxy',
  },
  {
    title: 'without a role',
    env: () => USER_VARIABLES,
    database: [7, 'Missing or insufficient permissions.'],
    says:
      `gcloud projects add-iam-policy-binding ${PROJECT} --member user:EMAIL ` +
      '--role roles/datastore.user',
  },
  {
    title: 'for a project without the API',
    env: () => USER_VARIABLES,
    database: [7, 'Cloud Firestore API has not been used in project 1 before'],
    says: `gcloud services enable firestore.googleapis.com --project ${PROJECT}`,
  },
  {
    title: 'for a project without a database',
    env: () => USER_VARIABLES,
    database: [5, 'The database (default) does not exist for project'],
    says: `gcloud firestore databases create --project ${PROJECT} --location LOCATION`,
  },
];

async function expectRefused({ env, tokenEndpoint, database, says }: Row): Promise<void> {
  const { status, stdout, stderr, milliseconds } = await listKeys(env(), tokenEndpoint, database);
  expect(stderr).toContain(says);
  // One line names the project; the other is the failure.
  expect(stderr.trim().split('\n')).toHaveLength(2);
  expect(stderr).not.toMatch(/[{}]|refresh-token|client-secret/);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(milliseconds).toBeLessThan(ENDS_WITHIN_MS);
}

test.each(QUICK)('credentials $title', expectRefused);
test.concurrent.each(WAITING)('credentials $title', expectRefused);

test.each([
  [
    'without a role in Authentication',
    'The caller does not have permission',
    '--role roles/firebaseauth.admin',
  ],
  [
    'of a person without a quota project',
    'The identitytoolkit.googleapis.com API requires a quota project, which is not set by default.',
    `gcloud auth application-default set-quota-project ${PROJECT}`,
  ],
])('credentials %s', async (_, message, says) => {
  const refused = refuseObject(403, message);
  const words = ['users', 'show', 'a@example.com'];
  const { status, stdout, stderr } = await run(
    words,
    USER_VARIABLES,
    undefined,
    undefined,
    refused,
  );
  expect(stderr).toContain(says);
  expect(stderr.trim().split('\n')).toHaveLength(2);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});

test('valid credentials are accepted', async () => {
  const { status, stderr, tokenRequests } = await listKeys(USER_VARIABLES);
  expect(stderr).toContain('Project poh-production in production');
  expect(status).toBe(0);
  expect(tokenRequests).toBeGreaterThan(0);
});
