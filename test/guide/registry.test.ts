// Tests the parts of the guide that need the npm registry: the check on the chain, and the TypeScript
// client on other runtimes. Run it with `npm run test:guide`.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemonstrationChain, writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { type HostileServer, startHostileServer } from '../clients/hostileServer.ts';
import { install, makeGuideProject, type Project, SAMPLES, TYPESCRIPT_SAMPLES } from './guide.ts';
import { type Command, installRuntime, RUNTIMES } from './runtimes.ts';
import { readExports, runProgram, runSample, type Sample } from './samples.ts';

const sampleIn = (file: string): Sample => {
  const sample = TYPESCRIPT_SAMPLES.find((one) => one.file === file);
  if (!sample) throw new Error(`the guide has no sample ${file}`);
  return sample;
};
const gate = sampleIn('gate.mjs');
const chainCheck = sampleIn('chain.mjs');

let project: Project;
let chain: TestChain;
let env: Record<string, string>;
let hostile: HostileServer;
const commands = new Map<string, Command>([["this project's Node", [process.execPath]]]);

beforeAll(async () => {
  await writeDemonstration();
  [project, chain] = await Promise.all([makeGuideProject(), startDemonstrationChain()]);
  for (const sample of SAMPLES.filter(({ mark }) => mark === 'install from the registry')) {
    await install(project, sample);
  }
  for (const [name, runtime] of Object.entries(RUNTIMES)) {
    commands.set(name, await installRuntime(runtime));
  }
  hostile = await startHostileServer();
  const POH_URL = project.address;
  env = { ...readExports('docs/sandbox.md'), POH_URL, SOLANA_RPC_URL: chain.url };
}, 600_000);

afterAll(async () => {
  const servers = [chain, hostile].map((server) => server[Symbol.asyncDispose]());
  await Promise.all([project.site.stop(), ...servers]);
  for (const made of [project.folder, project.siteFolder]) rmSync(made, { recursive: true });
});

describe.each([...Object.keys(RUNTIMES), "this project's Node"])('with %s', (runtime) => {
  test.for(TYPESCRIPT_SAMPLES)('$name', async (sample) => {
    const outcome = await runSample(sample, project.folder, env, commands.get(runtime));
    expect(outcome).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${sample.prints}`),
    });
  });

  test('gate.mjs does not follow a redirect', async () => {
    const POH_URL = hostile.url('redirectWithBody', encodeURIComponent(runtime));
    const command = commands.get(runtime);
    const { status, stderr } = await runSample(gate, project.folder, { ...env, POH_URL }, command);
    expect(stderr).toContain('not_the_service');
    expect(status).toBeGreaterThan(0);
    expect(hostile.leakedRequests).toEqual([]);
  });
});

test('docs/clients.md names the runtimes', () => {
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [line = ''] = /^The tests run them with .*$/m.exec(page) ?? [];
  for (const name of Object.keys(RUNTIMES)) expect(line).toContain(name.replace('Node ', ''));
});

test('accounts that are not on the chain are not counted', async () => {
  await using empty = await TestChain.start();
  const { stdout } = await runSample(chainCheck, project.folder, {
    ...env,
    SOLANA_RPC_URL: empty.url,
  });
  expect(stdout).toContain('0 of 6');
});

test('the samples compile as strict TypeScript', async () => {
  for (const file of readdirSync(project.folder).filter((name) => name.endsWith('.mjs'))) {
    copyFileSync(join(project.folder, file), join(project.folder, file.replace('.mjs', '.mts')));
  }
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(dirname(typescript), '../@types')],
    skipLibCheck: true,
  };
  const settings = JSON.stringify({ compilerOptions, include: ['*.mts'] });
  writeFileSync(join(project.folder, 'tsconfig.json'), settings);
  const words = [join(typescript, '../bin/tsc'), '-p', project.folder];
  const compiled = await runProgram(process.execPath, words, { cwd: project.folder });
  expect(compiled).toMatchObject({ status: 0, stdout: '' });
});
