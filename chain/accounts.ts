// Reads which program owns an account on the chain. Never reports a failure as a missing account.

import { Connection, PublicKey, SolanaJSONRPCError } from '@solana/web3.js';
import { ACCOUNTS_MAX_BYTES, boundedFetch } from './boundedFetch.ts';
import { ChainError, rpcFailureCode } from './chainFailure.ts';
import { type Retry, type RetryPolicy, withRetries } from './retries.ts';

/** The most addresses that `getMultipleAccounts` takes. */
export const ACCOUNTS_PER_REQUEST = 100;

/**
 * Reads the base58 address of the program that owns each account, or null if the account does not exist.
 *
 * @param addresses up to `ACCOUNTS_PER_REQUEST`, base58 of 32 bytes
 * @throws ChainError
 */
export type ReadOwners = (addresses: readonly string[]) => Promise<readonly (string | null)[]>;

/**
 * The commitment level of a read. The mirror marks an attestation as confirmed at `confirmed`.
 * `finalized` cannot be undone, but lags some 13 seconds behind and lacks the newest attestations.
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
    // The library's own retries cannot be limited and write to the console.
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
    // Requests none of the account's data, because only its owner is needed.
    .getMultipleAccountsInfo(keys, { dataSlice: { offset: 0, length: 0 } })
    .catch((error: unknown) => {
      throw toChainError(error);
    });
  if (accounts.length !== addresses.length) {
    const detail = `${accounts.length} accounts instead of ${addresses.length}`;
    throw new ChainError('malformed', detail);
  }
  // An account without lamports does not exist, because the runtime removes it.
  return accounts.map((account) => (account?.lamports ? account.owner.toBase58() : null));
}

function toChainError(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  if (error instanceof SolanaJSONRPCError) {
    const detail = `JSON-RPC error ${error.code}`;
    return new ChainError(rpcFailureCode(error.code), detail, { cause: error });
  }
  // The HTTP exchange succeeded, so the body is not JSON or not the requested result.
  return new ChainError('malformed', 'not a list of accounts', { cause: error });
}
