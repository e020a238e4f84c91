// Builds and serves the functions that are compared, all in the same way.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServedFunction, startFunction } from '../sandbox/servedFunction.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../sandbox/signingKey.ts';
import { bundle } from '../scripts/bundle.ts';
import { SIGNING_SECRET } from '../signatures/sign.ts';
import { Failure } from '../terminal/failure.ts';

const PROJECT = 'demo-poh';

/** What the platform sets for a deployed function. */
const DEPLOYED = {
  NODE_ENV: 'production',
  NODE_OPTIONS: '--max-old-space-size=960',
  K_SERVICE: 'pohattestationsendpoint',
  K_REVISION: 'pohattestationsendpoint-00001-abc',
  FUNCTION_TARGET: 'pohAttestationsEndpoint',
  FUNCTION_SIGNATURE_TYPE: 'http',
  LOG_EXECUTION_ID: 'true',
  CLOUD_RUN_TIMEOUT_SECONDS: '30',
  FIREBASE_CONFIG: JSON.stringify({ projectId: PROJECT }),
  GCLOUD_PROJECT: PROJECT,
  GOOGLE_CLOUD_PROJECT: PROJECT,
  // Google's libraries need not find out where they run.
  METADATA_SERVER_DETECTION: 'none',
  // Measured without signatures, but for the row that compares the two.
  [SIGNING_SECRET]: '',
};

const CAREFUL = 'bench/lib/careful/index.cjs';
/** The built function. */
export const SERVICE = 'functions/lib/index.cjs';

/** Each contestant's file, and what is added to its environment. */
const CONTESTANTS = {
  service: { file: SERVICE, env: {} },
  // Beside itself it shows how far two figures differ by chance.
  'service again': { file: SERVICE, env: {} },
  signed: { file: SERVICE, env: { [SIGNING_SECRET]: pemOf(DEMONSTRATION_SIGNING_KEY) } },
  empty: { file: 'bench/lib/empty/index.cjs', env: {} },
  straightforward: { file: 'bench/lib/straightforward/index.cjs', env: {} },
  'careful, gRPC': { file: CAREFUL, env: {} },
  'careful, REST': { file: CAREFUL, env: { PREFER_REST: 'true' } },
} as const;
export type Contestant = keyof typeof CONTESTANTS;
export const CAREFUL_PEERS = ['careful, gRPC', 'careful, REST'] as const;

/** Bundles the peers as the function is bundled. */
export async function buildPeers(): Promise<void> {
  for (const peer of ['empty', 'straightforward', 'careful']) {
    await bundle(`bench/peers/${peer}.ts`, `bench/lib/${peer}/index.cjs`, []);
  }
}

/** Sends what is for Google's services to one host:port. */
export const servicesAt = (host: string) => ({
  FIRESTORE_EMULATOR_HOST: host,
  FIREBASE_AUTH_EMULATOR_HOST: host,
  GCE_METADATA_HOST: host,
});

/** Those that are being measured. */
const running = new Map<ServedFunction, Contestant>();

/**
 * Starts a contestant, without waiting for it.
 *
 * @param env added to what the platform sets
 */
export async function start(
  contestant: Contestant,
  env: Record<string, string>,
): Promise<ServedFunction> {
  const { file, env: own } = CONTESTANTS[contestant];
  const served = await startFunction({ ...DEPLOYED, ...env, ...own }, file);
  const tracked = {
    ...served,
    stop: async () => {
      running.delete(tracked);
      await served.stop();
    },
  };
  running.set(tracked, contestant);
  return tracked;
}

/** Starts a contestant and waits until it listens. */
export async function serve(
  contestant: Contestant,
  env: Record<string, string> = {},
): Promise<ServedFunction> {
  const served = await start(contestant, env);
  await served.listening;
  return served;
}

/**
 * Measures with contestants, and leaves none of them running.
 *
 * @throws Failure when the measurement fails: it names the files that hold what the contestants had
 *   logged that were running then, since a status 500 names no cause
 */
export async function withContestants<T>(measure: () => Promise<T>): Promise<T> {
  try {
    return await measure();
  } catch (error) {
    const folder = mkdtempSync(join(tmpdir(), 'poh-bench-'));
    const logs = [...running].map(([served, contestant], index) => {
      const file = join(folder, `${contestant.replace(', ', '-')}-${index + 1}.log`);
      writeFileSync(file, served.output());
      return file;
    });
    const reason = error instanceof Error ? error.message : String(error);
    const where = logs.length > 0 ? `The log of the server: ${logs.join(', ')}` : '';
    throw new Failure(`The benchmark failed: ${reason}\n${where}`.trimEnd(), { cause: error });
  } finally {
    for (const served of running.keys()) await served.stop();
  }
}
