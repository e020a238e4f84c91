// Runs the samples of the guide in an empty folder, with the clients from the site and the values of the
// sandbox. Samples that need the npm registry are in test/guide.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../contract/examples.ts';
import { writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { SAMPLE_VARIABLES } from '../../tools/sandbox/testSubjects.ts';
import {
  installCommands,
  makeGuideProject,
  OFFLINE_SAMPLES,
  type Project,
  SAMPLES,
  shell,
  textOf,
} from '../guide/guide.ts';
import { runProgram, runSample, type Sample } from '../guide/samples.ts';
import { HTTPX } from './drivers.ts';
import { startHostileServer } from './servers.ts';

const hostile = await startHostileServer();
let project: Project;
let env: Record<string, string>;

beforeAll(async () => {
  await writeDemonstration();
  project = await makeGuideProject();
  env = { ...SAMPLE_VARIABLES, POH_URL: project.address, PYTHONPATH: `${HTTPX}` };
}, 300_000);

afterAll(async () => {
  await Promise.all([project.site.stop(), hostile[Symbol.asyncDispose]()]);
});

const run = (sample: Sample, changes: Readonly<Record<string, string>> = {}) =>
  runSample(sample, project.folder, { ...env, ...changes });

describe('the samples', () => {
  test('all have a known mark', () => {
    const known = ['run', 'by hand', 'install', 'file', 'install from the registry'];
    expect(new Set(SAMPLES.map(({ mark }) => mark))).toEqual(new Set(known));
  });

  test.for(OFFLINE_SAMPLES)('$name', async (sample) => {
    const stdout = expect.stringContaining(`${sample.prints}`);
    expect(await run(sample)).toMatchObject({ status: 0, stdout });
  });

  test('that check for a vote do not count a pending one', async () => {
    const votes = OFFLINE_SAMPLES.filter(({ prints }) => prints?.startsWith('voted: '));
    expect(votes).toHaveLength(1);
    for (const sample of votes) {
      const { stdout } = await run(sample, { PROPOSAL: DEMONSTRATION.pendingProposal });
      expect(stdout).toBe('voted: false, supports: false\n');
    }
  });

  const gates = OFFLINE_SAMPLES.filter(({ file }) => file.startsWith('gate.'));

  test.for(gates)('reveal no secret and admit nobody after a failure: $file', async (gate) => {
    const redirected = { POH_URL: hostile.url('redirectWithBody', gate.file) };
    const first = await run(gate, redirected);
    const second = await run(gate, { POH_KEY: 'not-a-key' });
    for (const outcome of [first, second]) expect(outcome).toMatchObject({ status: 1, stdout: '' });
    for (const secret of [DEMONSTRATION.token, DEMONSTRATION.key])
      expect(first.stderr).not.toContain(secret);
    expect(second.stderr).toContain('unauthorized');
    expect(hostile.leakedRequests).toEqual([]);
  });
});

describe('the site', () => {
  test('shows commands that install the clients only with the right hashes', async () => {
    const commands = installCommands(project.siteFolder);
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const other = command.replace(/(?<=sha512-|sha256=)./, (sign) => (sign === 'a' ? 'b' : 'a'));
      expect(other).not.toBe(command);
      await expect(shell(project, other)).rejects.toThrow('failed');
    }
    const licence = join(project.folder, 'node_modules/poh-attestations/LICENSE.txt');
    expect(readFileSync(licence, 'utf8')).toMatch(/^MIT License\n/);
  });

  test('starts with a command that returns a 200', async () => {
    const page = await (await fetch(project.address)).text();
    const [, html = ''] = /<code class="[^"]*language-sh">([\s\S]*?)<\/code>/.exec(page) ?? [];
    const command = textOf(html);
    const { stdout } = await runProgram('bash', ['-c', `${command} -sS`], {
      cwd: project.folder,
      env,
    });
    expect(JSON.parse(stdout)).toMatchObject({ hasVerifiedHuman: true });
  });
});
