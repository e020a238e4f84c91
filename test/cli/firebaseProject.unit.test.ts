// Tests the lines about errors of Google's libraries, which are many lines of JSON.

import { expect, test } from 'vitest';
import { failureOf, isRefusal } from '../../cli/frame/firebaseProject.ts';

const ACCESS =
  'Run `gcloud auth application-default login --impersonate-service-account poh-keys@poh-production.iam.gserviceaccount.com`, ' +
  'or get access as docs/administration.md says under "Who can do what".';
const LATER = 'Check the network, and try again in a minute.';

/** An error of Google's HTTP client, as with credentials that were revoked. */
const http = (
  status: number,
  error: unknown,
  message = `Request failed with status code ${status}`,
) => ({
  message,
  response: { status, data: { error } },
});
const grpc = (code: number, message: string) => ({ code, message: `${code} ${message}` });
/** An error of Firebase Authentication. */
const auth = (status: number, message: string) => ({
  code: 'auth/internal-error',
  message: `An internal error has occurred. Raw server response: "{\n"error": ...}"`,
  httpResponse: { status, data: { error: { code: status, message } } },
});

test.each<[string, object, string]>([
  [
    'Firestore without a role',
    grpc(7, 'PERMISSION_DENIED: Missing or insufficient permissions.'),
    `PERMISSION_DENIED: Missing or insufficient permissions. ${ACCESS}`,
  ],
  [
    'a project without a database',
    grpc(5, 'NOT_FOUND: The database (default) does not exist for project a\n more'),
    'NOT_FOUND: The database (default) does not exist for project a.',
  ],
  [
    'a token endpoint that fails',
    http(503, undefined),
    `Request failed with status code 503. ${LATER}`,
  ],
  ['no network', { message: 'connect failed', code: 'ECONNREFUSED' }, `connect failed. ${LATER}`],
  [
    'Authentication without a role',
    auth(403, 'The caller does not have permission'),
    `The caller does not have permission. ${ACCESS}`,
  ],
  ['a fault of our own', new TypeError('x is not a function'), 'x is not a function.'],
])('%s', (_, error, line) => {
  expect(failureOf(error, 'poh-production').message).toBe(line);
});

test.each([
  ...['UNAVAILABLE', 'EXHAUSTED', 'status code 500', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ETIMEDOUT', 'EPIPE'],
])('%s may pass', (cause) => {
  expect(failureOf(new Error(`${cause} x`)).message).toBe(`${cause} x. ${LATER}`);
});

test.each([
  ...['credential', 'access token', 'invalid_grant', 'Permission', 'UNAUTHENTICATED'],
  'quota project',
])('%s is about access', (cause) => {
  expect(failureOf(new Error(`No ${cause}`), 'poh-production').message).toBe(
    `No ${cause}. ${ACCESS}`,
  );
});

test('Google has changed nothing if it refuses a request, and may have after any other error', () => {
  const codes = Array.from({ length: 16 }, (_, index) => index + 1);
  expect(codes.filter((code) => isRefusal(grpc(code, 'x')))).toEqual([3, 5, 7, 8, 9, 16]);
  const statuses = [307, 400, 403, 499, 500, 503];
  expect(statuses.filter((status) => isRefusal(auth(status, 'x')))).toEqual([400, 403, 499]);
});
