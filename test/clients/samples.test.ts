// Runs the samples of the guide in an empty folder, with the clients from the site and the values of the
// sandbox. Samples that need the npm registry are in test/guide.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { SAMPLE_VARIABLES } from '../../tools/sandbox/testSubjects.ts';
import {
  install,
  makeGuideProject,
  OFFLINE_SAMPLES,
  type Project,
  SAMPLES,
} from '../guide/guide.ts';
import { type Outcome, runProgram, runSample } from '../guide/samples.ts';
import { HTTPX } from './httpx.ts';
import { type HostileServer, startHostileServer } from './servers.ts';

let project: Project;
let hostile: HostileServer;
let env: Record<string, string>;

beforeAll(async () => {
  await writeDemonstration();
  project = await makeGuideProject();
  hostile = await startHostileServer();
  env = { ...SAMPLE_VARIABLES, POH_URL: project.address, PYTHONPATH: `${HTTPX}` };
}, 300_000);

afterAll(async () => {
  await Promise.all([project.site.stop(), hostile[Symbol.asyncDispose]()]);
});

type SampleChanges = Readonly<Record<string, string>>;
const run = (sample: (typeof SAMPLES)[number], changes: SampleChanges = {}): Promise<Outcome> =>
  runSample(sample, project.folder, { ...env, ...changes });

describe('the samples', () => {
  test('all have a known mark', () => {
    const marks = new Set(SAMPLES.map(({ mark }) => mark));
    expect(marks).toEqual(
      new Set(['run', 'by hand', 'install', 'file', 'install from the registry']),
    );
  });

  test.for(OFFLINE_SAMPLES)('$name', async (sample) => {
    const outcome = await run(sample);
    expect(outcome).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${sample.prints}`),
    });
  });

  test('that check for a vote do not count a pending one', async () => {
    const votes = OFFLINE_SAMPLES.filter(({ prints }) => prints?.startsWith('voted: '));
    const changes = { PROPOSAL: DEMONSTRATION.pendingProposal };
    expect(votes.length).toBeGreaterThan(0);
    for (const { stdout } of await Promise.all(votes.map((sample) => run(sample, changes)))) {
      expect(stdout).toMatch(/^voted: false, supports: false\b/i);
    }
  });

  test('do not follow a redirect, so they reveal no secret and admit nobody', async () => {
    const gates = OFFLINE_SAMPLES.filter(({ file }) => file.startsWith('gate.'));
    expect(gates.length).toBeGreaterThan(1);
    for (const gate of gates) {
      const outcome = await run(gate, { POH_URL: hostile.url('redirectWithBody', gate.file) });
      expect(outcome.status).toBeGreaterThan(0);
      expect(outcome.stdout).not.toMatch(/true/i);
      expect(`${outcome.stdout}${outcome.stderr}`).not.toContain(DEMONSTRATION.token);
      expect(`${outcome.stdout}${outcome.stderr}`).not.toContain(DEMONSTRATION.key);
    }
    expect(hostile.leakedRequests).toEqual([]);
  });

  test('fail with an invalid key', async () => {
    for (const gate of OFFLINE_SAMPLES.filter(({ file }) => file.startsWith('gate.'))) {
      const { status, stderr, stdout } = await run(gate, { POH_KEY: 'not-a-key' });
      expect([status > 0, stdout === 'true\n']).toEqual([true, false]);
      expect(stderr).toMatch(/unauthorized|401/);
    }
  });
});

describe('the site', () => {
  test('shows commands that install the clients only with the right hashes', async () => {
    const page = await (await fetch(`${project.address}/guide.md`)).text();
    const commands = [...page.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, text = '']) => text);
    const installs = commands.filter((text) => /^(npm|pip) install/m.test(text));
    expect(installs).toHaveLength(2);
    for (const code of installs) {
      await install(project, code);
      const other = code.replace(/(?<=sha512-|sha256=)./, (digit) => (digit === 'a' ? 'b' : 'a'));
      expect(other).not.toBe(code);
      await expect(install(project, other)).rejects.toThrow('failed');
    }
  });

  test('serves the licence, which is also in the package', async () => {
    const licence = await (await fetch(`${project.address}/clients/LICENSE.txt`)).text();
    expect(licence).toMatch(/^MIT License\n/);
    const installed = join(project.folder, 'node_modules/poh-attestations/LICENSE.txt');
    expect(readFileSync(installed, 'utf8')).toBe(licence);
  });

  test('starts with a command that returns a 200', async () => {
    const page = readFileSync(join(project.siteFolder, 'index.html'), 'utf8');
    const [, html = ''] = /<code class="language-sh">([^<]*)/.exec(page) ?? [];
    const command = html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").trim();
    const { stdout } = await runProgram('bash', ['-c', `${command} -sS`], {
      cwd: project.folder,
      env,
    });
    expect(JSON.parse(stdout)).toMatchObject({ hasVerifiedHuman: true });
  });
});
