// Runs the real firebase-tools in CI on a new project, and on one that forbids public access.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal } from '../../tools/doubles/deployment/store.ts';
import {
  DEPLOYING_AGAIN,
  documented,
  ID,
  prepare,
  SERVICE,
  startRehearsal,
  TIMEOUT,
} from './rehearsal.ts';

const rehearsal = await startRehearsal();
const { project, run, succeed, regions } = rehearsal;

beforeAll(() => prepare(rehearsal), 120_000);
afterAll(() => rehearsal[Symbol.asyncDispose]());

test('deploys the function but neither site if the cleanup policy fails', TIMEOUT, async () => {
  const { status, output } = await run(DEPLOYING_AGAIN);
  expect(output).toContain('could not set up cleanup policy');
  expect(status).toBe(1);
  expect(regions()).toEqual(['us-central1']);
  expect(project.store.names('releases').filter((name) => name.includes('/sites/'))).toEqual([]);
});

test(
  'if allUsers is refused, the function is not public, and the next deployment does not report that',
  TIMEOUT,
  async () => {
    await succeed(documented('artifacts:setpolicy'));
    await succeed(`npx firebase functions:delete pohAttestationsEndpoint --project ${ID} --force`);
    project.store.policies.delete(SERVICE);
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
