// Every sample of the guide, run as its reader would: in an empty project outside of the repository,
// with the values of the sandbox; and what the samples say when there is no lookup.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { buildSite } from '../../page/build.ts';
import { writeDemonstration } from '../../sandbox/demonstration.ts';
import { startDemonstrationChain } from '../../sandbox/demonstrationChain.ts';
import { DEMONSTRATION } from '../../sandbox/demonstrationData.ts';
import { type ServedSite, serveSite } from '../../sandbox/hosting.ts';
import { TestChain } from '../../sandbox/testChain.ts';
import {
  CLIENTS,
  compileSamples,
  makeGuideProject,
  type Project,
  RUNNABLE,
  type RunnableSample,
  SAMPLES,
} from './guide.ts';
import { NO_LOOKUP, type Platform, startPlatform, TRACE } from './platform.ts';
import { type Outcome, readExports, runSample } from './samples.ts';
import { TEST_SUBJECTS } from './testSubjects.ts';

let project: Project;
let site: ServedSite;
let siteFolder: string;
let chain: TestChain;
let platform: Platform;
let env: Record<string, string>;

beforeAll(async () => {
  [, site, chain, platform, project] = await Promise.all([
    writeDemonstration(),
    servePublicSite(),
    startDemonstrationChain(),
    startPlatform(),
    makeGuideProject(),
  ]);
  const POH_URL = site.url.slice(0, -1);
  env = { ...readExports('docs/sandbox.md'), POH_URL, SOLANA_RPC_URL: chain.url };
}, 300_000);

afterAll(async () => {
  await Promise.all([site?.stop(), platform?.close(), chain?.[Symbol.asyncDispose]()]);
  const { folder, nodeFolder } = project;
  for (const made of [folder, nodeFolder, siteFolder]) rmSync(made, { recursive: true });
});

/** The site as `npm start` serves it: the endpoint, and the public keys. */
async function servePublicSite(): Promise<ServedSite> {
  siteFolder = mkdtempSync(join(tmpdir(), 'site-'));
  await buildSite(siteFolder, { local: true });
  return await serveSite(0, siteFolder);
}

function run(
  { runtime, ...sample }: RunnableSample,
  { skip }: TestContext,
  changes: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const node = project.nodes[runtime];
  skip(runtime !== '' && node === undefined, `${runtime} and its packages are not there`);
  return runSample(sample, project.folder, { ...env, ...changes }, node);
}

test.for(TEST_SUBJECTS)('the test subject "$what" $send returns $status', async (subject) => {
  const url = `${site.url}pohAttestationsEndpoint?${new URLSearchParams(subject.send)}`;
  const key = subject.key ?? DEMONSTRATION.key;
  const response = await fetch(url, { headers: { 'X-PoH-API-Key': key } });
  expect(response.status).toBe(subject.status);
  expect(await response.json()).toMatchObject(subject.returns);
});

describe('the samples', () => {
  test('each say what they are', () => {
    const words = SAMPLES.map(({ mark }) => mark);
    expect(new Set(words)).toEqual(new Set(['by hand', 'run', 'file', 'install']));
  });

  test.for(RUNNABLE)('$name ($language, $runtime)', async (sample, context) => {
    expect(await run(sample, context)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(sample.detail),
    });
  });

  test('which look for a vote find no pending one, and no other', async (context) => {
    const votes = RUNNABLE.filter(({ detail }) => detail.startsWith('voted in'));
    const changes = { PROPOSAL: DEMONSTRATION.pendingProposal, NULLIFIER_HASH: '07'.repeat(32) };
    const outcomes = votes.map((sample) => run(sample, context, changes));
    expect(votes.length).toBeGreaterThan(1);
    for (const { stdout } of await Promise.all(outcomes)) {
      expect(stdout).toMatch(/proposal: false, in the poll: false/i);
    }
  });

  test("which check the chain are not deceived by another program's account", async (context) => {
    const checking = RUNNABLE.find(({ detail }) => detail.endsWith('are on the chain'));
    if (!checking) throw new Error('no sample checks the chain');
    await using empty = await TestChain.start();
    const { stdout } = await run(checking, context, { SOLANA_RPC_URL: empty.url });
    expect(stdout).toContain('0 of 6');
  });

  test('in TypeScript compile under strict', async ({ skip }) => {
    skip(project.nodes['Node 24'] === undefined, 'the packages are not there');
    const compiled = await compileSamples(project);
    expect(compiled).toMatchObject({ status: 0, stdout: '' });
  });
});

describe('without a lookup', () => {
  /** The samples themselves wait for up to 10 seconds, and run side by side. */
  const timeout = 180_000;
  const nameOf = ({ language, runtime }: RunnableSample): string =>
    `${language}-${runtime.replace(' ', '-')}`;

  test.for(CLIENTS)(
    '$language $runtime says so, and fails',
    { timeout },
    async (sample, context) => {
      const outcomes = await Promise.all(
        NO_LOOKUP.map(async ({ title, changes, says }) => {
          const env = changes(platform, nameOf(sample));
          const { status, stdout, stderr } = await run(sample, context, env);
          const reported = says.test(stderr) && !TRACE.test(stderr) ? 'reported' : stderr;
          return [title, status > 0, stdout, reported];
        }),
      );
      expect(outcomes).toEqual(NO_LOOKUP.map(({ title }) => [title, true, '', 'reported']));
    },
  );

  test.for(CLIENTS)('$language $runtime tries again', async (sample, context) => {
    const POH_URL = platform.url('recovering', nameOf(sample));
    const outcome = await run(sample, context, { POH_URL });
    expect(outcome).toMatchObject({ status: 0, stdout: expect.stringContaining(sample.detail) });
    expect(platform.requests.get(`recovering ${nameOf(sample)}`)).toBe(3);
  });
});
