// Reads the addresses of all accounts of a program. Does not use the Solana library, because it creates an object for
// every account, and 100,000 such objects do not fit into memory.

import * as z from 'zod';
import { boundedFetch } from './boundedFetch.ts';
import { ChainError, rpcFailureCode } from './chainFailure.ts';
import { DEFAULT_RETRY_POLICY, type Retry, type RetryPolicy, withRetries } from './retries.ts';

/** A node scans all of its accounts for this request, so each attempt may take a minute. */
export const PROGRAM_ACCOUNTS_POLICY: RetryPolicy = { ...DEFAULT_RETRY_POLICY, timeoutMs: 60_000 };

/** Enough for a million accounts. Without its data, an account is some 240 bytes long. */
const MAX_BYTES = 256 * 2 ** 20;
const MESSAGE_MAX_CHARACTERS = 200;

const rpcResponse = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({
    result: z.array(
      z.object({
        pubkey: z.string(),
        account: z.object({ lamports: z.number() }),
      }),
    ),
  }),
]);

/**
 * Reads the base58 addresses of a program's accounts. Many public nodes refuse this request.
 *
 * @param program base58 of 32 bytes
 * @throws ChainError for any failure; `refused` gives the node's own reason
 */
export async function readProgramAccounts(
  rpcUrl: string,
  program: string,
  policy: RetryPolicy,
  onRetry: (retry: Retry) => void,
  minContextSlot: number | undefined,
): Promise<Set<string>> {
  const boundedPost = boundedFetch({ timeoutMs: policy.timeoutMs, maxBytes: MAX_BYTES });
  const request = {
    jsonrpc: '2.0',
    id: '1',
    method: 'getProgramAccounts',
    params: [
      program,
      {
        commitment: 'confirmed',
        encoding: 'base64',
        dataSlice: { offset: 0, length: 0 },
        ...(minContextSlot !== undefined && { minContextSlot }),
      },
    ],
  };
  return await withRetries(
    async () => {
      const response = await boundedPost(rpcUrl, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
      });
      return addressesIn(parseJson(await response.text()));
    },
    policy,
    onRetry,
  );
}

function addressesIn(body: unknown): Set<string> {
  const parsed = rpcResponse.safeParse(body);
  if (!parsed.success) throw new ChainError('malformed', 'not a list of accounts');
  if ('error' in parsed.data) {
    const { code, message } = parsed.data.error;
    // The node's operator controls this text, and it is shown in a terminal.
    const reason = message.replaceAll(/\p{C}/gu, ' ').slice(0, MESSAGE_MAX_CHARACTERS);
    throw new ChainError(rpcFailureCode(code), `JSON-RPC error ${code}: ${reason}`);
  }
  // An account without lamports does not exist, because the runtime removes it.
  return new Set(
    parsed.data.result.flatMap(({ pubkey, account }) => (account.lamports > 0 ? [pubkey] : [])),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ChainError('malformed', 'not JSON', { cause });
  }
}
