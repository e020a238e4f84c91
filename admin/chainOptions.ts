// The options that name a chain, a program and a wallet.

import { type Command, InvalidArgumentError } from 'commander';
import { parseWallet, type Wallet } from '../records/wallet.ts';

export interface ChainOptions {
  readonly rpc: URL;
  readonly program: Wallet;
  readonly wallet?: Wallet;
}

export const addChainOptions = (command: Command): Command =>
  command
    .requiredOption('--rpc <url>', 'the JSON-RPC endpoint of the chain', parseRpc)
    .requiredOption('--program <address>', 'the attestation program', parseAddress)
    .option('--wallet <address>', 'only the attestations of this wallet', parseAddress);

function parseAddress(value: string): Wallet {
  const address = parseWallet(value);
  if (address === undefined) throw new InvalidArgumentError('It is not base58 of 32 bytes.');
  return address;
}

function parseRpc(value: string): URL {
  const url = URL.parse(value);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('It is not an http or https address.');
  }
  if (url.username || url.password) {
    throw new InvalidArgumentError('It must not contain a user name or a password.');
  }
  return url;
}
