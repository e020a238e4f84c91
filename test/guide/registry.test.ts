// What of the guide needs the npm registry: the check against the chain, and the Nodes that the client in
// TypeScript supports. Runs with `npm run test:guide`.

import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeDemonstration } from '../../sandbox/demonstration.ts';
import { startDemonstrationChain } from '../../sandbox/demonstrationChain.ts';
import { TestChain } from '../../sandbox/testChain.ts';
import { install, makeGuideProject, type Project, SAMPLES, TYPESCRIPT_SAMPLES } from './guide.ts';
import { installNode, NODES } from './nodes.ts';
import { readExports, runProgram, runSample } from './samples.ts';

let project: Project;
let chain: TestChain;
let env: Record<string, string>;
const programs = new Map<string, string>([['of this project', process.execPath]]);

beforeAll(async () => {
  await writeDemonstration();
  [project, chain] = await Promise.all([makeGuideProject(), startDemonstrationChain()]);
  for (const sample of SAMPLES.filter(({ mark }) => mark === 'install from the registry')) {
    await install(project, sample);
  }
  for (const version of NODES) programs.set(version, await installNode(version));
  const POH_URL = project.address;
  env = { ...readExports('docs/sandbox.md'), POH_URL, SOLANA_RPC_URL: chain.url };
}, 600_000);

afterAll(async () => {
  await Promise.all([project.site.stop(), chain[Symbol.asyncDispose]()]);
  for (const made of [project.folder, project.siteFolder]) rmSync(made, { recursive: true });
});

describe.each([...NODES, 'of this project'])('with the Node %s', (version) => {
  test.for(TYPESCRIPT_SAMPLES)('$name', async (sample) => {
    const outcome = await runSample(sample, project.folder, env, programs.get(version));
    expect(outcome).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${sample.prints}`),
    });
  });
});

test("an account of another program's does not count as on the chain", async () => {
  const [sample] = TYPESCRIPT_SAMPLES.filter(({ file }) => file === 'chain.mjs');
  if (!sample) throw new Error('no sample checks the chain');
  await using empty = await TestChain.start();
  const { stdout } = await runSample(sample, project.folder, { ...env, SOLANA_RPC_URL: empty.url });
  expect(stdout).toContain('0 of 6');
});

test('the samples compile as TypeScript under strict', async () => {
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
