// Runs the gcloud commands of the runbook, and those in the sentences of other documents, with the real gcloud, against a
// double of Google.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toGoogleError } from '../../functions/src/google/exchange.ts';
import { type GoogleProject, startGoogleProject } from '../../tools/doubles/deployment/project.ts';
import { DEFAULT_ACCOUNT } from '../../tools/doubles/deployment/resources.ts';
import { type Checkout, hasGcloud, makeCheckout } from './checkout.ts';
import {
  commandsInSentences,
  documentedCommand,
  documentedCommands,
  failedLine,
  headings,
} from './documents.ts';

const ID = 'acme-poh';
let checkout: Checkout;
let project: GoogleProject;

beforeAll(async () => {
  checkout = makeCheckout();
  project = await startGoogleProject(ID);
  const members = [`serviceAccount:${DEFAULT_ACCOUNT}`];
  const bindings = [{ role: 'roles/cloudbuild.builds.builder', members }];
  project.store.policies.set(`projects/${ID}`, { bindings });
  const name = `projects/${ID}/locations/us-central1/functions/pohAttestationsEndpoint`;
  project.store.put(name, { labels: { commit: '0123456789ab' }, serviceConfig: {} });
});
afterAll(async () => {
  await project[Symbol.asyncDispose]();
});

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

test.skipIf(!hasGcloud).each([
  [
    'a refusal',
    toGoogleError(
      403,
      '{"error":{"message":"This needs billing.","status":"PERMISSION_DENIED","details":[{"reason":"BILLING_DISABLED"}]}}',
    ),
    {
      name: 'GoogleError',
      httpStatus: 403,
      status: 'PERMISSION_DENIED',
      reason: 'BILLING_DISABLED',
    },
  ],
  [
    'a connection that fails',
    new Error('x', { cause: refused }),
    { name: 'Error', cause: { name: 'Error', code: 'ECONNREFUSED' } },
  ],
  ['a fault of the service', new TypeError('x'), { name: 'TypeError', stack: expect.any(Array) }],
])('the command for server errors shows %s', async (_title, error, cause) => {
  const jsonPayload = JSON.parse(JSON.stringify(await failedLine(error)));
  project.store.entries.splice(0, 1, { timestamp: '2026-11-22T04:15:00Z', jsonPayload });
  const command = documentedCommand('server-errors', 'gcloud logging read', ID);
  const { output } = await checkout.run(command, project.env);
  expect(parse(output)).toMatchObject({ jsonPayload: { requestId: 'the-request', cause } });
});

describe.skipIf(!hasGcloud)('gcloud accepts the options of each command', () => {
  const commands = headings('runbook').flatMap((heading) =>
    documentedCommands(heading, ID).filter((line) => line.startsWith('gcloud ')),
  );
  test.each([...new Set([...commands, ...commandsInSentences(ID)])])('%s', async (command) => {
    const { output } = await checkout.run(`${command} </dev/null`, project.env);
    expect(output).not.toMatch(
      /unrecognized arguments|Invalid choice|Invalid value|argument [-\w]+:/,
    );
  });
});
