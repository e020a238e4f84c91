// A chain for tests and the demonstration: real account state in LiteSVM, behind a JSON-RPC server on
// loopback that responds to the requests of the audit and the guide's samples as a validator does, and
// fails on demand.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { LiteSVM } from 'litesvm';
import { DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { type Fault, sendError, sendResult } from './chainFaults.ts';
import { type RpcOptions, type RpcRequest, readRpcRequest } from './chainRequests.ts';
import { portOf } from './freePort.ts';

const PROGRAM_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
type SvmAccount = Parameters<LiteSVM['setAccount']>[0];

export class TestChain implements AsyncDisposable {
  readonly #svm = new LiteSVM();
  readonly #server = createServer(async (request, response) => {
    const fault = this.faults.shift();
    const rpcRequest = await readRpcRequest(request);
    const next = (): void => this.#respond(response, rpcRequest);
    if (fault) fault(response, next);
    else next();
  });
  /** One for each coming request, in turn: undefined lets the chain respond. */
  readonly faults: (Fault | undefined)[] = [];
  /** How many addresses each request that got a result named. */
  readonly batches: number[] = [];
  /** The commitment of each request that got a result. */
  readonly commitments: RpcOptions['commitment'][] = [];

  /**
   * A chain on which the demonstration's program exists, and nothing else.
   *
   * @param port left out: a free one is chosen
   */
  static async start(port = 0): Promise<TestChain> {
    const chain = new TestChain();
    chain.setAccount(DEMONSTRATION_PROGRAM, PROGRAM_LOADER);
    chain.#server.listen(port, '127.0.0.1');
    // Rejects when the port is taken.
    await once(chain.#server, 'listening');
    return chain;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}/`;
  }

  /** @param owner base58 address of the program that owns the account; null removes it */
  setAccount(address: string, owner: string | null, bytes = 82): void {
    const size = owner === null ? 0n : BigInt(bytes);
    this.#svm.setAccount(
      parseAccount({
        address,
        programAddress: owner ?? '11111111111111111111111111111111',
        lamports: owner === null ? 0n : this.#svm.minimumBalanceForRentExemption(size),
        data: new Uint8Array(Number(size)),
        executable: false,
        space: size,
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #respond(response: ServerResponse, request: RpcRequest | undefined): void {
    if (!request) {
      sendError(response, -32602, 'POST one of the JSON-RPC requests that this stand-in knows.');
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
    const account = this.#svm.getAccount(parseAccount({ address }).address);
    return account.exists ? rpcAccount(account, slice) : null;
  }

  #accountsOf(program: string, slice: RpcOptions['dataSlice']) {
    const { address } = parseAccount({ address: program });
    return this.#svm
      .getProgramAccounts(address)
      .map((account) => ({ pubkey: account.address, account: rpcAccount(account, slice) }));
  }
}

function rpcAccount(
  account: SvmAccount,
  slice: RpcOptions['dataSlice'] = { offset: 0, length: Number.MAX_SAFE_INTEGER },
) {
  const data = account.data.subarray(slice.offset, slice.offset + slice.length);
  return {
    lamports: Number(account.lamports),
    owner: account.programAddress,
    data: [Buffer.from(data).toString('base64'), 'base64'],
    executable: account.executable,
    rentEpoch: 0,
    space: Number(account.space),
  };
}

/** Gives plain values the brands of LiteSVM, which checks them itself. */
const parseAccount = (account: Record<string, unknown>): SvmAccount => account as SvmAccount;
