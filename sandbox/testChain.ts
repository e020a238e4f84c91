// A chain for tests and the demonstration: accounts behind a JSON-RPC server on loopback. It handles the
// requests of the audit and of the guide's samples like a validator, and fails on demand.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { type Fault, sendError, sendResult } from './chainFaults.ts';
import { type RpcOptions, type RpcRequest, readRpcRequest } from './chainRequests.ts';
import { portOf } from './freePort.ts';

const PROGRAM_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
/** The rent-exempt balance per byte, and the bytes that each account has in addition to its data. */
const LAMPORTS_PER_BYTE = 6_960;
const ACCOUNT_OVERHEAD_BYTES = 128;

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
    if (fault) fault(response, next);
    else next();
  });
  /** The faults of the next requests, in order; undefined lets the chain respond. */
  readonly faults: (Fault | undefined)[] = [];
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
      sendError(response, -32602, 'POST a JSON-RPC request that this stand-in supports.');
      return;
    }
    const { id, method, params } = request;
    const [, { dataSlice, commitment }] = params;
    this.commitments.push(commitment);
    if (method === 'getProgramAccounts') {
      sendResult(response, this.#accountsOf(params[0], dataSlice), id);
      return;
    }
    const accounts = method === 'getAccountInfo' ? [params[0]] : params[0];
    const found = accounts.map((address) => this.#account(address, dataSlice));
    if (method === 'getMultipleAccounts') this.batches.push(accounts.length);
    const value = method === 'getAccountInfo' ? found[0] : found;
    sendResult(response, { context: { slot: 1 }, value }, id);
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
