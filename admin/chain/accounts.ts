// Reads accounts on the chain, and the cluster and the clock of a node. Never reports a failure as a missing account.

import { Connection, PublicKey, SolanaJSONRPCError, SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import { ACCOUNTS_MAX_BYTES, boundedFetch } from './boundedFetch.ts';
import { ChainError, rpcFailureCode } from './chainFailure.ts';
import { type Retry, type RetryPolicy, withRetries } from './retries.ts';

/** The most addresses that `getMultipleAccounts` takes. */
export const ACCOUNTS_PER_REQUEST = 100;

/** Where each node keeps its slot and its time (the sysvar Clock). */
export const CLOCK_ADDRESS = SYSVAR_CLOCK_PUBKEY.toBase58();
/** How much of an account's data is read. The time of the Clock ends at this byte. */
const DATA_BYTES = 40;

export interface Account {
  /** Base58 address of the program that owns it. */
  readonly owner: string;
  /** The first 40 bytes. */
  readonly data: Buffer;
}

/**
 * Reads the account of each address, or null if it does not exist.
 *
 * @param addresses up to `ACCOUNTS_PER_REQUEST`, base58 of 32 bytes
 * @throws ChainError
 */
export type ReadAccounts = (addresses: readonly string[]) => Promise<readonly (Account | null)[]>;

/**
 * The commitment level of a read. The mirror marks an attestation as confirmed once it has reached the
 * level `confirmed`. `finalized` cannot be undone, but lags some 13 seconds behind and lacks the newest
 * attestations.
 */
export type Commitment = 'confirmed' | 'finalized';

/** @param minSlot the slot that a node must have reached; a node behind a load balancer may lag */
export function accountsReader(
  rpcUrl: string,
  commitment: Commitment,
  policy: RetryPolicy,
  onRetry: (retry: Retry) => void,
  minSlot: () => number | undefined,
): ReadAccounts {
  const connection = openConnection(rpcUrl, commitment, policy);
  const request = (addresses: readonly string[]) =>
    requestAccounts(connection, addresses, minSlot());
  return (addresses) => withRetries(() => request(addresses), policy, onRetry);
}

/** Reads the hash of the first block, which identifies the cluster. @throws ChainError */
export async function readGenesisHash(
  rpcUrl: string,
  policy: RetryPolicy,
  onRetry: (retry: Retry) => void,
): Promise<string> {
  const connection = openConnection(rpcUrl, 'finalized', policy);
  const request = () =>
    connection.getGenesisHash().catch((error: unknown) => {
      throw toChainError(error, 'not a hash');
    });
  return await withRetries(request, policy, onRetry);
}

/** The latest slot of a node, and its time. */
export interface NodeClock {
  readonly slot: number;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
}

/** @param clock the account at `CLOCK_ADDRESS` @throws ChainError */
export function parseClock(clock: Account | null | undefined): NodeClock {
  if (clock?.data.length !== DATA_BYTES) throw new ChainError('malformed', 'not a clock');
  const [SLOT, UNIX_TIMESTAMP] = [0, 32];
  return {
    slot: Number(clock.data.readBigUInt64LE(SLOT)),
    timeMs: Number(clock.data.readBigInt64LE(UNIX_TIMESTAMP)) * 1000,
  };
}

const openConnection = (rpcUrl: string, commitment: Commitment, { timeoutMs }: RetryPolicy) =>
  new Connection(rpcUrl, {
    commitment,
    // The library's own retries cannot be limited and write to the console.
    disableRetryOnRateLimit: true,
    httpAgent: false,
    fetch: boundedFetch({ timeoutMs, maxBytes: ACCOUNTS_MAX_BYTES }),
  });

async function requestAccounts(
  connection: Connection,
  addresses: readonly string[],
  minContextSlot: number | undefined,
): Promise<readonly (Account | null)[]> {
  const keys = addresses.map((address) => new PublicKey(address));
  const accounts = await connection
    .getMultipleAccountsInfo(keys, {
      dataSlice: { offset: 0, length: DATA_BYTES },
      ...(minContextSlot !== undefined && { minContextSlot }),
    })
    .catch((error: unknown) => {
      throw toChainError(error, 'not a list of accounts');
    });
  if (accounts.length !== addresses.length) {
    const detail = `${accounts.length} accounts instead of ${addresses.length}`;
    throw new ChainError('malformed', detail);
  }
  // An account without lamports does not exist, because the runtime removes it.
  return accounts.map((account) =>
    account?.lamports ? { owner: account.owner.toBase58(), data: account.data } : null,
  );
}

function toChainError(error: unknown, unusable: string): ChainError {
  if (error instanceof ChainError) return error;
  if (error instanceof SolanaJSONRPCError) {
    const detail = `JSON-RPC error ${error.code}`;
    return new ChainError(rpcFailureCode(error.code), detail, { cause: error });
  }
  // The HTTP exchange succeeded, so the body is not JSON or not the requested result.
  return new ChainError('malformed', unusable, { cause: error });
}
