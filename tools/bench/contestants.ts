// Builds the compared functions and serves them, all in the same way.

import { Failure } from '../../admin/terminal/failure.ts';
import { SIGNING_SECRET } from '../../functions/src/signatures/sign.ts';
import { bundle } from '../build.ts';
import { PLATFORM } from '../doubles/googleCloud.ts';
import { EMULATED_PROJECT } from '../sandbox/emulatorAddresses.ts';
import { type ServedFunction, startFunction } from '../sandbox/servedFunction.ts';

/** The variables that the platform sets for a deployed function. */
const DEPLOYED = {
  ...PLATFORM,
  NODE_ENV: 'production',
  K_REVISION: 'pohattestationsendpoint-00001-abc',
  GCLOUD_PROJECT: EMULATED_PROJECT,
  GOOGLE_CLOUD_PROJECT: EMULATED_PROJECT,
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

export interface Running extends ServedFunction {
  readonly contestant: Contestant;
}

/**
 * Serves contestants while `measure` runs.
 *
 * @param env the variables of the database
 * @throws Failure with the contestants' logs, because a status 500 does not tell the cause
 */
export async function withServed(
  contestants: readonly Contestant[],
  env: Record<string, string>,
  measure: (...running: Running[]) => Promise<void>,
): Promise<void> {
  const started = await Promise.all(
    contestants.map(async (contestant) => {
      const { file, env: ownEnv } = CONTESTANTS[contestant];
      return { contestant, ...(await startFunction({ ...DEPLOYED, ...env, ...ownEnv }, file)) };
    }),
  );
  try {
    for (const { listening } of started) await listening;
    await measure(...started);
  } catch (error) {
    const logs = started.map((each) => `Log of ${each.contestant}:\n${each.output()}`);
    throw new Failure(`The benchmark failed: ${error}\n${logs.join('\n')}`, { cause: error });
  } finally {
    for (const { stop } of started) await stop();
  }
}
