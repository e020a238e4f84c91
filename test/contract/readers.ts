// Uses the published contract with other tools. orval generates a client, and Prism is a mock server.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { freePort } from '../../tools/sandbox/freePort.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTRACT = join(ROOT, 'docs/openapi.json');

const run = promisify(execFile);

const commandOf = (name: string): string => join(ROOT, 'node_modules/.bin', name);

/** Starts Prism, which returns the contract's examples, on a free port. */
export async function startMockServer() {
  const port = await freePort();
  const command = [commandOf('prism'), 'mock', '-p', `${port}`, CONTRACT];
  const prism = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(prism, 'exit');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    prism.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Prism is listening')) resolve();
    });
    void exited.then(([status]) => reject(new Error(`Prism ended with ${status}:\n${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      prism.kill();
      await exited;
    },
  };
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

type LookUp = (
  parameters: object,
  options: RequestInit,
) => Promise<{ status: number; data: unknown; headers: Headers }>;

/** The parts of the generated modules that are used. */
const clientModule = z.object({ lookUpAttestations: z.custom<LookUp>(isFunction) });
const checksModule = z.object({ LookUpAttestationsResponse: z.instanceof(z.ZodType) });

const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: [],
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    outDir: 'compiled',
  },
};

/**
 * Generates a client and its checks with orval, compiles them with `strict`, and loads them.
 *
 * @param baseUrl the server that the client calls
 * @param folder an empty folder
 * @returns the client's function, and the check for the body of a 200
 */
export async function generateClient(baseUrl: string, folder: string) {
  const config = {
    client: {
      input: CONTRACT,
      output: { client: 'fetch', target: join(folder, 'client.ts'), baseUrl },
    },
    checks: { input: CONTRACT, output: { client: 'zod', target: join(folder, 'checks.ts') } },
  };
  const settings = join(folder, 'orval.config.mjs');
  writeFileSync(settings, `export default ${JSON.stringify(config)};\n`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await run(process.execPath, [commandOf('orval'), '--config', settings], { cwd: folder });
  await run(process.execPath, [commandOf('tsc'), '-p', folder]);
  const load = (name: string) => import(pathToFileURL(join(folder, 'compiled', name)).href);
  const { lookUpAttestations } = clientModule.parse(await load('client.js'));
  const { LookUpAttestationsResponse } = checksModule.parse(await load('checks.js'));
  return { lookUp: lookUpAttestations, lookupResult: LookUpAttestationsResponse };
}
