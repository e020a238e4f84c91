// Sends the chain requests of an audit or a repair. Counts them, prints each retry, and checks that the
// node can be trusted.

import {
  accountsReader,
  CLOCK_ADDRESS,
  type Commitment,
  parseClock,
  type ReadAccounts,
  readGenesisHash,
} from '../chain/accounts.ts';
import { PROGRAM_ACCOUNTS_POLICY, readProgramAccounts } from '../chain/programAccounts.ts';
import { DEFAULT_RETRY_POLICY, type Retry } from '../chain/retries.ts';
import { noProgram, staleNode, wrongCluster } from './failures.ts';

/** The audit refuses a node that is further behind. */
const NODE_AGE_MAX_MS = 5 * 60 * 1000;

export interface ChainRequests {
  /** Host and port of the RPC endpoint; the rest of its address often contains a key. */
  readonly host: string;
  readonly readAccounts: (commitment: Commitment) => ReadAccounts;
  /** Reads the genesis hash, which identifies the cluster. @throws ChainError */
  readonly readGenesisHash: () => Promise<string>;
  /** @throws ChainError */
  readonly readProgramAccounts: (program: string) => Promise<Set<string>>;
}

/** The number of requests, and how many of them were retries. */
export interface RequestCounts {
  /** The slot that later responses must have reached; null before the first response. */
  slot: number | null;
  requests: number;
  repetitions: number;
}

/** What a node is checked against. */
export interface NodeScope {
  /** Address of the attestation program, base58. */
  readonly program: string;
  /** Genesis hash of the cluster that the program is on. */
  readonly cluster: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Checks that the node is on the right cluster, has the program and is up to date. Otherwise every
 * document would be a finding.
 */
export async function checkNode(
  scope: NodeScope,
  chain: ChainRequests,
  counts: RequestCounts,
): Promise<void> {
  const genesisHash = await chain.readGenesisHash();
  if (genesisHash !== scope.cluster) throw wrongCluster(chain.host, genesisHash);
  const addresses = [CLOCK_ADDRESS, scope.program];
  const [clock, program] = await chain.readAccounts('finalized')(addresses);
  const { slot, timeMs } = parseClock(clock);
  const ageMs = scope.nowMs() - timeMs;
  if (ageMs > NODE_AGE_MAX_MS) throw staleNode(chain.host, ageMs);
  if (!program) throw noProgram(scope.program, chain.host);
  counts.slot = slot;
}

/**
 * @param sent updated as requests are sent
 * @param note prints a line to the user
 */
export function chainRequests(
  rpc: URL,
  sent: RequestCounts,
  note: (text: string) => void,
): ChainRequests {
  const onRetry = (retry: Retry): void => {
    sent.repetitions += 1;
    sent.requests += 1;
    note(retryLine(rpc.host, retry));
  };
  const minSlot = (): number | undefined => sent.slot ?? undefined;
  return {
    host: rpc.host,
    readGenesisHash: () => {
      sent.requests += 1;
      return readGenesisHash(rpc.href, DEFAULT_RETRY_POLICY, onRetry);
    },
    readAccounts: (commitment) => {
      const policy = DEFAULT_RETRY_POLICY;
      const read = accountsReader(rpc.href, commitment, policy, onRetry, minSlot);
      return (addresses) => {
        sent.requests += 1;
        return read(addresses);
      };
    },
    readProgramAccounts: (program) => {
      sent.requests += 1;
      return readProgramAccounts(rpc.href, program, PROGRAM_ACCOUNTS_POLICY, onRetry, minSlot());
    },
  };
}

function retryLine(host: string, { failure, attempt, backoffMs }: Retry): string {
  const next = `retrying in ${backoffMs / 1000} s (attempt ${attempt + 1} of ${DEFAULT_RETRY_POLICY.maxAttempts})`;
  return `${host} ${failure.message}; ${next}`;
}
