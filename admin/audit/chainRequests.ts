// The requests that the audit and the repair make to the chain: counted, each retry printed, and from a
// node that is to be believed.

import {
  accountsReader,
  CLOCK_ADDRESS,
  type Commitment,
  parseClock,
  type ReadAccounts,
  readGenesisHash,
} from '../../chain/accounts.ts';
import { PROGRAM_ACCOUNTS_POLICY, readProgramAccounts } from '../../chain/programAccounts.ts';
import { DEFAULT_RETRY_POLICY, type Retry } from '../../chain/retries.ts';
import { noProgram, staleNode, wrongCluster } from './failures.ts';

/** A node that is further behind than this is not believed. */
const NODE_AGE_MAX_MS = 5 * 60 * 1000;

export interface ChainRequests {
  /** Host and port of the RPC endpoint: the rest of its address often contains its key. */
  readonly host: string;
  readonly readAccounts: (commitment: Commitment) => ReadAccounts;
  /** The hash by which the cluster is known. @throws ChainError */
  readonly readGenesisHash: () => Promise<string>;
  /** @throws ChainError */
  readonly readProgramAccounts: (program: string) => Promise<Set<string>>;
}

/** How many requests were sent, and how many of them again. */
export interface RequestCounts {
  /** What a node must have reached to be believed; null before the first response. */
  slot: number | null;
  requests: number;
  repetitions: number;
}

/** What a node must be. */
export interface NodeScope {
  /** Address of the attestation program, base58. */
  readonly program: string;
  /** The cluster that the program is on, by its genesis hash. */
  readonly cluster: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Makes sure that the chain is the one that is meant, and is up to date: on another cluster, under another
 * address or long ago, every single document would be a finding.
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
 * @param note prints a line for the user
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
