// Builds and serves the compared functions, all in the same way.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../admin/terminal/failure.ts';
import { SIGNING_SECRET } from '../../functions/src/signatures/sign.ts';
import { bundle } from '../bundle.ts';
import { type ServedFunction, startFunction } from '../sandbox/servedFunction.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../sandbox/signingKey.ts';

const PROJECT = 'demo-poh';

/** The variables that the platform sets for a deployed function. */
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
  // Google's libraries must not look for a metadata server.
  METADATA_SERVER_DETECTION: 'none',
  // Responses are signed only in the row that measures signing.
  [SIGNING_SECRET]: '',
};

const CAREFUL = 'tools/bench/lib/careful/index.cjs';
/** The file of the built function. */
export const SERVICE = 'functions/lib/index.cjs';

/** Each contestant's file, and its own environment variables. */
const CONTESTANTS = {
  service: { file: SERVICE, env: {} },
  // Comparing the service with itself shows how much two figures differ by chance.
  'service again': { file: SERVICE, env: {} },
  signed: { file: SERVICE, env: { [SIGNING_SECRET]: pemOf(DEMONSTRATION_SIGNING_KEY) } },
  empty: { file: 'tools/bench/lib/empty/index.cjs', env: {} },
  straightforward: { file: 'tools/bench/lib/straightforward/index.cjs', env: {} },
  'careful, gRPC': { file: CAREFUL, env: {} },
  'careful, REST': { file: CAREFUL, env: { PREFER_REST: 'true' } },
} as const;
export type Contestant = keyof typeof CONTESTANTS;
export const CAREFUL_PEERS = ['careful, gRPC', 'careful, REST'] as const;

/** Bundles the peers in the same way as the function. */
export async function buildPeers(): Promise<void> {
  for (const peer of ['empty', 'straightforward', 'careful']) {
    await bundle(`tools/bench/peers/${peer}.ts`, `tools/bench/lib/${peer}/index.cjs`);
  }
}

/** @returns the variables that send all calls to Google's services to one host:port */
export const serviceHosts = (host: string) => ({
  FIRESTORE_EMULATOR_HOST: host,
  FIREBASE_AUTH_EMULATOR_HOST: host,
  GCE_METADATA_HOST: host,
});

/** The contestants that are running now. */
const running = new Map<ServedFunction, Contestant>();

/**
 * Starts a contestant, without waiting until it listens.
 *
 * @param env added to the platform's variables
 */
export async function start(
  contestant: Contestant,
  env: Record<string, string>,
): Promise<ServedFunction> {
  const { file, env: contestantEnv } = CONTESTANTS[contestant];
  const served = await startFunction({ ...DEPLOYED, ...env, ...contestantEnv }, file);
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
 * Runs a measurement, and stops all contestants afterwards.
 *
 * @throws Failure if the measurement fails. It names files with the logs of the running contestants,
 *   because a status 500 does not tell the cause.
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
    const where = logs.length > 0 ? `Log of the server: ${logs.join(', ')}` : '';
    throw new Failure(`The benchmark failed: ${reason}\n${where}`.trimEnd(), { cause: error });
  } finally {
    for (const served of running.keys()) await served.stop();
  }
}
