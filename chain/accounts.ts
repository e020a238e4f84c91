// Reads which program owns an account on the chain. A failure is never taken for a missing account.

import { Connection, PublicKey, SolanaJSONRPCError } from '@solana/web3.js';
import { ACCOUNTS_MAX_BYTES, boundedFetch } from './boundedFetch.ts';
import { ChainError, rpcFailureCode } from './chainFailure.ts';
import { type Retry, type RetryPolicy, withRetries } from './retries.ts';

/** The most addresses that `getMultipleAccounts` takes. */
export const ACCOUNTS_PER_REQUEST = 100;

/**
 * For each address the program that owns the account there, base58, or null where there is none.
 *
 * @param addresses up to `ACCOUNTS_PER_REQUEST`, base58 of 32 bytes
 * @throws ChainError
 */
export type ReadOwners = (addresses: readonly string[]) => Promise<readonly (string | null)[]>;

/**
 * The chain's level of certainty. An entry is mirrored as confirmed at `confirmed`; `finalized`, which
 * nothing can undo, is some 13 seconds behind, and lacks what was minted in them.
 */
export type Commitment = 'confirmed' | 'finalized';

export function ownersReader(
  rpcUrl: string,
  commitment: Commitment,
  policy: RetryPolicy,
  onRetry: (retry: Retry) => void,
): ReadOwners {
  const connection = new Connection(rpcUrl, {
    commitment,
    // The library's own repetition cannot be bounded and writes to the console.
    disableRetryOnRateLimit: true,
    httpAgent: false,
    fetch: boundedFetch({ timeoutMs: policy.timeoutMs, maxBytes: ACCOUNTS_MAX_BYTES }),
  });
  return (addresses) => withRetries(() => requestOwners(connection, addresses), policy, onRetry);
}

async function requestOwners(
  connection: Connection,
  addresses: readonly string[],
): Promise<readonly (string | null)[]> {
  const keys = addresses.map((address) => new PublicKey(address));
  const accounts = await connection
    // The account's data is not needed, so none of it is sent.
    .getMultipleAccountsInfo(keys, { dataSlice: { offset: 0, length: 0 } })
    .catch((error: unknown) => {
      throw namedFailure(error);
    });
  if (accounts.length !== addresses.length) {
    const detail = `${accounts.length} accounts instead of ${addresses.length}`;
    throw new ChainError('malformed', detail);
  }
  // Without lamports an account does not exist: the runtime removes it.
  return accounts.map((account) => (account?.lamports ? account.owner.toBase58() : null));
}

function namedFailure(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  if (error instanceof SolanaJSONRPCError) {
    const detail = `JSON-RPC error ${error.code}`;
    return new ChainError(rpcFailureCode(error.code), detail, { cause: error });
  }
  // HTTP went well, so it is the body that cannot be used: no JSON, or not what was requested.
  return new ChainError('malformed', 'not a list of accounts', { cause: error });
}
