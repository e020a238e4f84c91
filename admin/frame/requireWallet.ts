// Parses a wallet from the command line.

import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { usageFailure } from '../terminal/failure.ts';

/** @throws Failure (exit status 2) that omits the text, which may be a secret pasted by mistake */
export function requireWallet(text: string): Wallet {
  const wallet = parseWallet(text);
  if (!wallet) throw usageFailure('The wallet is not a base58 address of 32 bytes.');
  return wallet;
}
