// The requests that the audit and the repair make to the chain: counted, and each retry printed.

import { type Commitment, ownersReader, type ReadOwners } from '../../chain/accounts.ts';
import { PROGRAM_ACCOUNTS_POLICY, readProgramAccounts } from '../../chain/programAccounts.ts';
import { DEFAULT_RETRY_POLICY, type Retry } from '../../chain/retries.ts';

export interface ChainRequests {
  /** Host and port of the RPC endpoint: the rest of its address often contains its key. */
  readonly host: string;
  readonly readOwners: (commitment: Commitment) => ReadOwners;
  /** @throws ChainError */
  readonly readProgramAccounts: (program: string) => Promise<Set<string>>;
}

/** How many requests were sent, and how many of them again. */
export interface RequestCounts {
  requests: number;
  repetitions: number;
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
  return {
    host: rpc.host,
    readOwners: (commitment) => {
      const read = ownersReader(rpc.href, commitment, DEFAULT_RETRY_POLICY, onRetry);
      return (addresses) => {
        sent.requests += 1;
        return read(addresses);
      };
    },
    readProgramAccounts: (program) => {
      sent.requests += 1;
      return readProgramAccounts(rpc.href, program, PROGRAM_ACCOUNTS_POLICY, onRetry);
    },
  };
}

function retryLine(host: string, { failure, attempt, backoffMs }: Retry): string {
  const next = `retrying in ${backoffMs / 1000} s (attempt ${attempt + 1} of ${DEFAULT_RETRY_POLICY.maxAttempts})`;
  return `${host} ${failure.message}; ${next}`;
}
