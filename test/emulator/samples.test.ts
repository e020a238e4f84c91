// Every code sample in the documents, run as it stands: the contract's own client among them.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION_PROGRAM } from '../../testbed/attestationRecord.ts';
import { writeDemonstration } from '../../testbed/demonstration.ts';
import { DEMONSTRATION } from '../../testbed/demonstrationData.ts';
import { emulatedEndpoint } from '../../testbed/emulatorAddresses.ts';
import { countFences, readSamples, runSample } from './support/samples.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SAMPLES = ['README.md', 'docs/integrating.md'].flatMap(readSamples);

const SYSTEM_PROGRAM = '1'.repeat(32);

/** Stands for a node of the chain, on which every account exists and has the owner in the path. */
const chain: Server = createServer(async (request, response) => {
  const { id } = (await json(request)) as { id: unknown };
  const value = {
    data: ['', 'base64'],
    executable: false,
    lamports: 1,
    owner: request.url?.slice(1),
    rentEpoch: 0,
    space: 0,
  };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 1 }, value } }));
});
const chainWithOwner = (owner: string): string =>
  `http://127.0.0.1:${(chain.address() as AddressInfo).port}/${owner}`;

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  await writeDemonstration();
  // Inside the repository, so that a sample finds the packages that its reader would install.
  mkdirSync(join(ROOT, '.samples'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.samples/run-'));
  cpSync(join(ROOT, 'docs/attestationsClient.ts'), join(folder, 'attestationsClient.ts'));
  await new Promise<void>((resolve) => chain.listen(0, '127.0.0.1', resolve));
  env = {
    POH_URL: emulatedEndpoint().replace(/\/pohAttestationsEndpoint$/, ''),
    POH_KEY: DEMONSTRATION.key,
    WALLET: DEMONSTRATION.wallet,
    EMAIL: DEMONSTRATION.email,
    TOKEN: DEMONSTRATION.token,
    POH_PROGRAM: DEMONSTRATION_PROGRAM,
    SOLANA_RPC_URL: chainWithOwner(DEMONSTRATION_PROGRAM),
  };
});

afterAll(() => {
  chain.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the samples', () => {
  test('of the guide are all run', () => {
    const ofGuide = SAMPLES.filter(({ name }) => name.startsWith('docs/integrating.md'));
    expect(ofGuide).toHaveLength(countFences('docs/integrating.md'));
  });

  test.each(SAMPLES)('$name ($language)', async (sample) => {
    expect(await runSample(sample, folder, env)).toContain(sample.prints);
  });

  test("which check the chain are not deceived by another program's account", async () => {
    const [checking] = SAMPLES.filter(({ prints }) => prints.endsWith('are on the chain'));
    if (!checking) throw new Error('no sample checks the chain');
    const foreign = { ...env, SOLANA_RPC_URL: chainWithOwner(SYSTEM_PROGRAM) };
    expect(await runSample(checking, folder, foreign)).toContain('0 of 5');
  });

  test('in TypeScript compile under strict, with the generated client', async () => {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.web.json', include: ['.'] }),
    );
    const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
    const compiled = promisify(execFile)(process.execPath, [join(tsc, '../bin/tsc'), '-p', folder]);
    await expect(compiled).resolves.toMatchObject({ stdout: '' });
  });
});
