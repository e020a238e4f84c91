// Builds the compared functions and serves them, all in the same way.

import { fileURLToPath } from 'node:url';
import { Failure } from '../../admin/terminal/failure.ts';
import { SIGNING_SECRET } from '../../functions/src/signatures/sign.ts';
import { bundle } from '../build.ts';
import { type ServedFunction, startFunction } from '../sandbox/servedFunction.ts';

export const PROJECT = 'demo-poh';
const REDIRECT = fileURLToPath(new URL('../doubles/redirect.cjs', import.meta.url));

/** The variables that the platform sets for a deployed function. */
const DEPLOYED = {
  NODE_ENV: 'production',
  NODE_OPTIONS: `--max-old-space-size=960 --require=${JSON.stringify(REDIRECT)}`,
  K_SERVICE: 'pohattestationsendpoint',
  K_REVISION: 'pohattestationsendpoint-00001-abc',
  FUNCTION_TARGET: 'pohAttestationsEndpoint',
  FUNCTION_SIGNATURE_TYPE: 'http',
  LOG_EXECUTION_ID: 'true',
  CLOUD_RUN_TIMEOUT_SECONDS: '30',
  FIREBASE_CONFIG: JSON.stringify({ projectId: PROJECT }),
  GCLOUD_PROJECT: PROJECT,
  GOOGLE_CLOUD_PROJECT: PROJECT,
  // As shipped, responses are not signed.
  [SIGNING_SECRET]: '',
};

/** The built function. */
export const SERVICE = 'functions/lib/index.cjs';
const CAREFUL = 'tools/bench/lib/careful/index.cjs';

/** Each contestant's file, and its own environment variables. */
const CONTESTANTS = {
  service: { file: SERVICE, env: {} },
  empty: { file: 'tools/bench/lib/empty/index.cjs', env: {} },
  'careful, gRPC': { file: CAREFUL, env: {} },
  'careful, REST': { file: CAREFUL, env: { PREFER_REST: 'true' } },
} as const;
export type Contestant = keyof typeof CONTESTANTS;
export const CAREFUL_PEERS = ['careful, gRPC', 'careful, REST'] as const;

/** Bundles the peers in the same way as the function. */
export async function buildPeers(): Promise<void> {
  for (const peer of ['empty', 'careful']) {
    await bundle(`tools/bench/peers/${peer}.ts`, `tools/bench/lib/${peer}/index.cjs`);
  }
}

/** The contestants that are running now. */
const running = new Map<ServedFunction, Contestant>();

/**
 * Starts a contestant, without waiting until it listens.
 *
 * @param env the variables of the database
 */
export async function start(
  contestant: Contestant,
  env: Record<string, string>,
): Promise<ServedFunction> {
  const { file, env: ownEnv } = CONTESTANTS[contestant];
  const served = await startFunction({ ...DEPLOYED, ...env, ...ownEnv }, file);
  running.set(served, contestant);
  return served;
}

export async function stop(served: ServedFunction): Promise<void> {
  running.delete(served);
  await served.stop();
}

/**
 * Runs a measurement, and stops all contestants afterwards.
 *
 * @throws Failure with the logs of the running contestants, because a status 500 does not tell the cause
 */
export async function withContestants<T>(measure: () => Promise<T>): Promise<T> {
  try {
    return await measure();
  } catch (error) {
    const logs = [...running].map(([served, name]) => `Log of ${name}:\n${served.output()}`);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`The benchmark failed: ${reason}\n${logs.join('\n')}`, { cause: error });
  } finally {
    for (const served of running.keys()) await stop(served);
  }
}
