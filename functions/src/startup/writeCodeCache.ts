// Writes the code cache: loads the built function, makes a lookup in each mode, and stores what V8 has
// compiled by then. Runs after the build, and once more where Google installs the function, so that
// the Node that made it is the one that runs it.

import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { type HttpFunction, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { withinDeadline } from '../deadline.ts';
import { CANNED_TOKEN, CANNED_WALLET, startCannedServices } from './cannedServices.ts';
import { cacheContent, cachePath, loadBundled } from './codeCache.ts';

const TIME_LIMIT_MS = 30_000;
const TARGET = 'pohAttestationsEndpoint';
const QUERIES = [
  `wallet=${CANNED_WALLET}`,
  `token=${CANNED_TOKEN}`,
  'email=canned@example.com',
  // The key is known from here on.
  `wallet=${CANNED_WALLET}`,
];

async function writeCodeCache(): Promise<void> {
  // The lookups log as they always do.
  process.stdout.write = () => true;
  const { firestore, auth } = await startCannedServices();
  Object.assign(process.env, {
    FIRESTORE_EMULATOR_HOST: firestore,
    FIREBASE_AUTH_EMULATOR_HOST: auth,
    GCLOUD_PROJECT: 'canned',
    NODE_ENV: 'production',
    // Not on the platform, even where it builds.
    K_SERVICE: '',
  });
  const scripts = new Map<string, Script>();
  const lookup = loadBundled<Record<typeof TARGET, HttpFunction>>(
    join(import.meta.dirname, 'lookup.cjs'),
    (file, script) => scripts.set(file, script),
  );
  http(TARGET, lookup[TARGET]);
  const server = getTestServer(TARGET).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const query of QUERIES) {
    const status = await statusOf(port, query);
    if (status !== 200) throw new Error(`the lookup by ${query} responded ${status}`);
  }
  for (const [file, script] of scripts) {
    const written = `${cachePath(file)}.new`;
    writeFileSync(written, cacheContent(file, script.createCachedData()));
    // Whole or not at all.
    renameSync(written, cachePath(file));
  }
}

async function statusOf(port: number, query: string): Promise<number | undefined> {
  const outgoing = get({ port, path: `/?${query}`, headers: { 'X-PoH-API-Key': 'canned' } });
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  response?.resume();
  return response?.statusCode;
}

/** Without the cache instances start slower, which is no reason for an installation to fail. */
const FAILED = process.env['npm_lifecycle_event'] === 'postinstall' ? 0 : 1;

withinDeadline(writeCodeCache(), TIME_LIMIT_MS).then(
  () => process.exit(0),
  (error) => {
    console.error(`No code cache was written, so that instances start slower: ${error.stack}`);
    process.exit(FAILED);
  },
);
