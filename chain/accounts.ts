// Reads which program owns an account on the chain. A failure is never taken for a missing account.

import { Connection, PublicKey, SolanaJSONRPCError } from '@solana/web3.js';
import { boundedFetch } from './boundedFetch.ts';
import { ChainError, type ChainFailureCode } from './chainFailure.ts';
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

/** Errors within JSON-RPC; the first two are what providers send in place of HTTP 429. */
const RPC_FAILURES: ReadonlyMap<unknown, ChainFailureCode> = new Map([
  [429, 'rate_limited'],
  [-32429, 'rate_limited'],
  // Agave: the node is unhealthy, that is, behind.
  [-32005, 'unavailable'],
  // JSON-RPC 2.0: internal error.
  [-32603, 'unavailable'],
]);

export function ownersReader(
  rpcUrl: string,
  policy: RetryPolicy,
  onRetry: (retry: Retry) => void,
): ReadOwners {
  const connection = new Connection(rpcUrl, {
    // An entry is mirrored as confirmed at this commitment; `finalized` is some 13 seconds behind,
    // and would report what was minted in them as missing.
    commitment: 'confirmed',
    // The library's own repetition cannot be bounded and writes to the console.
    disableRetryOnRateLimit: true,
    httpAgent: false,
    fetch: boundedFetch(policy.timeoutMs),
  });
  return (addresses) => withRetries(() => requestOwners(connection, addresses), policy, onRetry);
}

async function requestOwners(
  connection: Connection,
  addresses: readonly string[],
): Promise<readonly (string | null)[]> {
  const keys = addresses.map((address) => new PublicKey(address));
  const accounts = await connection
    // What an account holds is of no interest here, so none of it is sent.
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
    const code = RPC_FAILURES.get(error.code) ?? 'refused';
    return new ChainError(code, `JSON-RPC error ${error.code}`, { cause: error });
  }
  // HTTP went well, so it is the body that cannot be used: no JSON, or not what was requested.
  return new ChainError('malformed', 'not a list of accounts', { cause: error });
}
