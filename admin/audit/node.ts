// Checks that a node can be trusted, because otherwise every document would be a finding.

import { accountsReader, CLOCK_ADDRESS, parseClock, readGenesisHash } from '../chain/accounts.ts';
import type { Node } from '../chain/rpc.ts';
import { noProgram, staleNode, wrongCluster } from './failures.ts';

/** The audit refuses a node that is further behind. */
const NODE_AGE_MAX_MS = 5 * 60 * 1000;

/** What a node is checked against. */
export interface NodeScope {
  /** Address of the attestation program, base58. */
  readonly program: string;
  /** Genesis hash of the cluster that the program is on. */
  readonly cluster: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: () => number;
}

/** Checks that the node is on the right cluster, has the program and is up to date. */
export async function checkNode(node: Node, { program, cluster, nowMs }: NodeScope): Promise<void> {
  const { host } = node.url;
  const genesisHash = await readGenesisHash(node);
  if (genesisHash !== cluster) throw wrongCluster(host, genesisHash);
  const addresses = [CLOCK_ADDRESS, program];
  const [clock, programAccount] = await accountsReader(node, 'finalized')(addresses);
  const { slot, timeMs } = parseClock(clock);
  const ageMs = nowMs() - timeMs;
  if (ageMs > NODE_AGE_MAX_MS) throw staleNode(host, ageMs);
  if (!programAccount) throw noProgram(program, host);
  node.counts.slot = slot;
}
