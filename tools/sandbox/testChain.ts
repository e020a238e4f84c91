// A chain for tests and the demonstration: accounts behind a JSON-RPC server on loopback. It handles the
// requests of the audit and of the guide's samples like a validator, and fails on demand.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { parseWallet } from '../../records/wallet.ts';
import { DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { type Fault, sendError, sendResult } from './chainFaults.ts';
import { portOf } from './freePort.ts';

const PROGRAM_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
/** The balance for rent exemption, per byte of an account's data and of its 128 bytes of overhead. */
const LAMPORTS_PER_BYTE = 6_960;
const ACCOUNT_OVERHEAD_BYTES = 128;

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

type RpcRequest = z.infer<typeof request>;
type RpcOptions = z.infer<typeof options>;

interface Account {
  /** Base58 address of a program. */
  readonly owner: string;
  readonly data: Buffer;
}

export class TestChain implements AsyncDisposable {
  readonly #accounts = new Map<string, Account>();
  readonly #server = createServer(async (request, response) => {
    const fault = this.faults.shift();
    const rpcRequest = await readRpcRequest(request);
    const next = (): void => this.#respond(response, rpcRequest);
    if (fault) fault(response, next, rpcRequest?.id ?? null);
    else next();
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
    chain.#server.listen(port, '127.0.0.1');
    // Rejects if the port is taken.
    await once(chain.#server, 'listening');
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
    this.#server.close();
    await once(this.#server, 'close');
  }

  #respond(response: ServerResponse, request: RpcRequest | undefined): void {
    if (!request) {
      sendError(response, -32602, 'Send a JSON-RPC request that the test chain supports.');
      return;
    }
    if (request.method === 'getGenesisHash') {
      sendResult(response, this.cluster, request.id);
      return;
    }
    const { id, method, params } = request;
    const [, { dataSlice, commitment, minContextSlot = 0 }] = params;
    const timeMs = Date.now() - this.behindMs;
    const slot = Math.floor(timeMs / SLOT_MS);
    if (slot < minContextSlot) {
      sendError(response, -32016, 'Minimum context slot has not been reached', id);
      return;
    }
    this.#accounts.set(CLOCK_ADDRESS, { owner: SYSVAR_OWNER, data: clockData(slot, timeMs) });
    this.commitments.push(commitment);
    if (method === 'getProgramAccounts') {
      sendResult(response, this.#accountsOf(params[0], dataSlice), id);
      return;
    }
    const accounts = method === 'getAccountInfo' ? [params[0]] : params[0];
    const found = accounts.map((address) => this.#account(address, dataSlice));
    if (method === 'getMultipleAccounts') this.batches.push(accounts.length);
    const value = method === 'getAccountInfo' ? found[0] : found;
    sendResult(response, { context: { slot }, value }, id);
  }

  #account(address: string, slice: RpcOptions['dataSlice']) {
    const account = this.#accounts.get(address);
    return account ? rpcAccount(account, slice) : null;
  }

  #accountsOf(program: string, slice: RpcOptions['dataSlice']) {
    return [...this.#accounts]
      .filter(([, { owner }]) => owner === program)
      .map(([pubkey, account]) => ({ pubkey, account: rpcAccount(account, slice) }));
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
    lamports: (ACCOUNT_OVERHEAD_BYTES + data.length) * LAMPORTS_PER_BYTE,
    owner,
    data: [data.subarray(offset, offset + length).toString('base64'), 'base64'],
    executable: false,
    rentEpoch: 0,
    space: data.length,
  };
}

/** @returns undefined if the body is not one of these requests */
async function readRpcRequest(incoming: IncomingMessage): Promise<RpcRequest | undefined> {
  try {
    return request.safeParse(await json(incoming)).data;
  } catch {
    return undefined;
  }
}
