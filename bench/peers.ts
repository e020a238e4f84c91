// Builds and serves the functions that are compared, always as in production.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type ServedFunction, startFunction } from '../testbed/servedFunction.ts';

export const PEERS = ['empty', 'straightforward'] as const;
export type Contestant = (typeof PEERS)[number] | 'service';

/** What the platform sets for a deployed function, by which the service recognizes production. */
const PRODUCTION = {
  NODE_ENV: 'production',
  K_SERVICE: 'pohattestationsendpoint',
  // There is no metadata server here; production has one, which responds at once.
  METADATA_SERVER_DETECTION: 'none',
  // Measured without signatures, but for the row that compares the two.
  ANSWER_SIGNING_KEY: '',
};

const SOURCE: Record<Contestant, string> = {
  service: 'functions/lib/index.cjs',
  empty: 'bench/lib/empty.cjs',
  straightforward: 'bench/lib/straightforward.cjs',
};

/** Turns the peers into JavaScript as tsc would: file by file, nothing bundled. */
export async function buildPeers(): Promise<void> {
  await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: PEERS.map((peer) => `bench/peers/${peer}.ts`),
    outdir: 'bench/lib',
    outExtension: { '.js': '.cjs' },
    platform: 'node',
    target: 'node24',
    format: 'cjs',
  });
}

/** @param env added to what the platform sets */
export const start = (
  contestant: Contestant,
  env: Record<string, string> = {},
): Promise<ServedFunction> => startFunction({ ...PRODUCTION, ...env }, SOURCE[contestant]);

/** Starts a contestant and waits until it listens. */
export async function serve(
  contestant: Contestant,
  env: Record<string, string> = {},
): Promise<ServedFunction> {
  const served = await start(contestant, env);
  await served.listening;
  return served;
}
