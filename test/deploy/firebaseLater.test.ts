// Runs the documented steps for a signing key and for a move to another region with the real firebase-tools.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentedCommands } from './documents.ts';
import { documented, FUNCTION, ID, prepare, startRehearsal, TIMEOUT } from './rehearsal.ts';

const rehearsal = await startRehearsal();
const { project, run, succeed, regions } = rehearsal;

beforeAll(async () => {
  await prepare(rehearsal);
  await succeed(documented('--only functions'));
}, 120_000);
afterAll(() => rehearsal[Symbol.asyncDispose]());

test(
  'with a signing key, the secret is bound to the function, whose account may read it',
  TIMEOUT,
  async () => {
    const [create = '', , ...deployments] = documentedCommands('Signed responses', ID);
    const secret = /functions:secrets:set (\w+)/.exec(create)?.[1] ?? '';
    for (const command of [create, 'npm run build', ...deployments.slice(0, 2)]) {
      await succeed(command);
    }
    expect(project.store.policies.get(`projects/${ID}/secrets/${secret}`)).toMatchObject({
      bindings: [
        {
          role: 'roles/secretmanager.secretAccessor',
          members: [`serviceAccount:poh-lookup@${ID}.iam.gserviceaccount.com`],
        },
      ],
    });
    expect(project.store.resources.get(FUNCTION)).toMatchObject({
      serviceConfig: { secretEnvironmentVariables: [{ key: secret, secret }] },
    });
  },
);

describe('a move to another region', () => {
  const MOVE = 'Move to another region';
  const deployment = documented('npx firebase deploy', MOVE);

  test('stops before it creates anything if there is no terminal', TIMEOUT, async () => {
    await succeed(documented('sed -i', MOVE));
    const { status, output } = await run(`${deployment} --non-interactive`);
    expect(output).toContain('deletion cannot proceed in non-interactive mode');
    expect(status).toBe(1);
    expect(regions()).toEqual(['us-central1']);
  });

  test(
    'keeps the old function if the answer is No, and points Hosting to the new one',
    TIMEOUT,
    async () => {
      const answers = { 'proceed with deletion?': 'n', 'How many days': '' };
      const { status, output } = await run(deployment, answers);
      expect(status, output).toBe(0);
      expect(regions()).toEqual(['us-central1', 'us-east1']);
      const version = project.store
        .names('versions')
        .filter((name) => name.includes('attestations/'))
        .at(-1);
      expect(project.store.resources.get(version ?? '')).toMatchObject({
        config: { rewrites: [{ run: { region: 'us-east1' } }] },
      });
      await succeed(documented('artifacts:setpolicy', MOVE));
    },
  );

  test('ends with the deletion of the old function', TIMEOUT, async () => {
    await succeed(documented('functions:delete', MOVE));
    expect(regions()).toEqual(['us-east1']);
  });
});
