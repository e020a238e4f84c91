// Builds and serves the functions that are compared, always as in production.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type ServedFunction, startFunction } from '../sandbox/servedFunction.ts';
import { Failure } from '../terminal/failure.ts';

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

/** Those that are being measured. */
const running = new Map<ServedFunction, Contestant>();

/**
 * Starts a contestant, without waiting for it.
 *
 * @param env added to what the platform sets
 */
export async function start(
  contestant: Contestant,
  env: Record<string, string> = {},
): Promise<ServedFunction> {
  const served = await startFunction({ ...PRODUCTION, ...env }, SOURCE[contestant]);
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
      const file = join(folder, `${contestant}-${index + 1}.log`);
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
