// Parses the JSON-RPC requests that the test chain responds to.

import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { parseWallet } from '../../records/wallet.ts';

/** The limits of a validator. */
const ADDRESSES_MAX = 100;
const BODY_MAX_BYTES = 50 * 1024;

const address = z.string().refine((text) => parseWallet(text) !== undefined);
const options = z.object({
  commitment: z.enum(['confirmed', 'finalized']).default('finalized'),
  encoding: z.literal('base64'),
  minContextSlot: z.int().optional(),
  dataSlice: z.object({ offset: z.int(), length: z.int() }).optional(),
});
const id = z.union([z.string(), z.number()]);
const request = z.discriminatedUnion('method', [
  z.object({ id, method: z.literal('getGenesisHash'), params: z.array(z.never()).default([]) }),
  z.object({ id, method: z.literal('getAccountInfo'), params: z.tuple([address, options]) }),
  z.object({
    id,
    method: z.literal('getMultipleAccounts'),
    params: z.tuple([z.array(address).max(ADDRESSES_MAX), options]),
  }),
  z.object({ id, method: z.literal('getProgramAccounts'), params: z.tuple([address, options]) }),
]);

export type RpcRequest = z.infer<typeof request>;
export type RpcOptions = z.infer<typeof options>;

/** @returns undefined if the body is not one of these requests, is too long or is incomplete */
export async function readRpcRequest(incoming: IncomingMessage): Promise<RpcRequest | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming) {
      bytes += chunk.length;
      if (bytes <= BODY_MAX_BYTES) chunks.push(chunk);
    }
    return request.safeParse(JSON.parse(Buffer.concat(chunks).toString())).data;
  } catch {
    return undefined;
  }
}
