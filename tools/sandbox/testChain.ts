// A chain for tests and the demonstration: accounts behind a JSON-RPC server on loopback. It handles the
// requests of the audit and of the guide's samples like a validator, and fails on demand.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import {
  attestationRecord,
  DEMONSTRATION_ATTESTATIONS,
  DEMONSTRATION_PROGRAM,
} from '../../contract/examples.ts';
import { parseWallet } from '../../records/wallet.ts';
import { isFree, listen, portOf } from './freePort.ts';
import { type Fault, type Reply, send } from './reply.ts';

const PROGRAM_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const SLOT_MS = 400;
const CLOCK_ADDRESS = 'SysvarC1ock11111111111111111111111111111111';
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';

/** The limit of a validator. */
const ADDRESSES_MAX = 100;

const address = z.string().refine((text) => parseWallet(text) !== undefined);
const options = z.object({
  commitment: z.enum(['confirmed', 'finalized']).default('finalized'),
  encoding: z.literal('base64'),
  minContextSlot: z.int().optional(),
  dataSlice: z.object({ offset: z.int(), length: z.int() }).optional(),
});
const id = z.union([z.string(), z.number()]);
const rpcRequest = z.discriminatedUnion('method', [
  z.object({ id, method: z.literal('getGenesisHash'), params: z.array(z.never()).default([]) }),
  z.object({ id, method: z.literal('getAccountInfo'), params: z.tuple([address, options]) }),
  z.object({
    id,
    method: z.literal('getMultipleAccounts'),
    params: z.tuple([z.array(address).max(ADDRESSES_MAX), options]),
  }),
  z.object({ id, method: z.literal('getProgramAccounts'), params: z.tuple([address, options]) }),
]);

type RpcRequest = z.infer<typeof rpcRequest>;
type RpcOptions = z.infer<typeof options>;

interface Account {
  /** Base58 address of a program. */
  readonly owner: string;
  readonly data: Buffer;
}

export class TestChain implements AsyncDisposable {
  readonly #accounts = new Map<string, Account>();
  readonly #server = createServer(async (request, response) => {
    const fault = this.faults.shift() ?? send;
    const { data } = rpcRequest.safeParse(await json(request).catch(() => undefined));
    await fault(response, async () => this.#reply(data));
  });
  /** The faults of the next requests, in order; undefined lets the chain respond. */
  readonly faults: (Fault | undefined)[] = [];
  /** The cluster's genesis hash. */
  cluster = DEVNET;
  /** How far the chain's time is behind the clock, in milliseconds. */
  behindMs = 0;
  /** The number of addresses in each `getMultipleAccounts` request that got a result. */
  readonly batches: number[] = [];
  /** The commitment of each request that got a result. */
  readonly commitments: RpcOptions['commitment'][] = [];

  /**
   * Starts a chain that has only the demonstration's program.
   *
   * @param port by default a free port
   */
  static async start(port = 0): Promise<TestChain> {
    const chain = new TestChain();
    chain.setAccount(DEMONSTRATION_PROGRAM, PROGRAM_LOADER);
    await listen(chain.#server, port);
    return chain;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}/`;
  }

  /** @param owner base58 address of the program that owns the account; null removes the account */
  setAccount(address: string, owner: string | null, bytes = 82): void {
    if (owner === null) this.#accounts.delete(address);
    else this.#accounts.set(address, { owner, data: Buffer.alloc(bytes) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await this.#server[Symbol.asyncDispose]();
  }

  #reply(request: RpcRequest | undefined): Reply {
    if (!request)
      return errorReply(-32602, 'Send a JSON-RPC request that the test chain supports.');
    const { id, method, params } = request;
    if (method === 'getGenesisHash') return resultReply(this.cluster, id);
    const [, { dataSlice, commitment, minContextSlot = 0 }] = params;
    const timeMs = Date.now() - this.behindMs;
    const slot = Math.floor(timeMs / SLOT_MS);
    if (slot < minContextSlot) {
      return errorReply(-32016, 'Minimum context slot has not been reached', id);
    }
    this.#accounts.set(CLOCK_ADDRESS, { owner: SYSVAR_OWNER, data: clockData(slot, timeMs) });
    this.commitments.push(commitment);
    if (method === 'getProgramAccounts') {
      const owned = [...this.#accounts].filter(([, { owner }]) => owner === params[0]);
      const accounts = owned.map(([pubkey, account]) => ({
        pubkey,
        account: rpcAccount(account, dataSlice),
      }));
      return resultReply(accounts, id);
    }
    const read = (address: string) => {
      const account = this.#accounts.get(address);
      return account ? rpcAccount(account, dataSlice) : null;
    };
    if (method === 'getMultipleAccounts') this.batches.push(params[0].length);
    const value = method === 'getAccountInfo' ? read(params[0]) : params[0].map(read);
    return resultReply({ context: { slot }, value }, id);
  }
}

/** The sysvar Clock: slot, start of the epoch, epoch, epoch of the leader schedule, time in seconds. */
function clockData(slot: number, timeMs: number): Buffer {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigInt64LE(BigInt(Math.floor(timeMs / 1000)), 32);
  return data;
}

function rpcAccount(
  { owner, data }: Account,
  { offset, length }: NonNullable<RpcOptions['dataSlice']> = { offset: 0, length: data.length },
) {
  return {
    lamports: 1,
    owner,
    data: [data.subarray(offset, offset + length).toString('base64'), 'base64'],
    executable: false,
    rentEpoch: 0,
  };
}

const toReply = (body: object): Reply => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', ...body }),
});

const resultReply = (result: unknown, id: RpcRequest['id']): Reply => toReply({ result, id });

/** @param id null if the request's id could not be read, as JSON-RPC 2.0 says */
const errorReply = (code: number, message: string, id: RpcRequest['id'] | null = null): Reply =>
  toReply({ error: { code, message }, id });

/**
 * Starts a chain that has the confirmed attestations but not the pending ones.
 *
 * @param preferredPort a free port is used if this one is taken or omitted
 */
export async function startDemonstrationChain(preferredPort = 0): Promise<TestChain> {
  const chain = await TestChain.start((await isFree(preferredPort)) ? preferredPort : 0);
  for (const { onChainAddress, status } of DEMONSTRATION_ATTESTATIONS.map(attestationRecord)) {
    if (status === 'confirmed') chain.setAccount(onChainAddress, DEMONSTRATION_PROGRAM);
  }
  return chain;
}
