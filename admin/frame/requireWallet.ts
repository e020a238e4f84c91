// A wallet as it was typed.

import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { usageFailure } from '../../terminal/failure.ts';

/** @throws Failure (exit status 2) without the text: it may be a secret, pasted in place of a wallet */
export function requireWallet(text: string): Wallet {
  const wallet = parseWallet(text);
  if (!wallet) throw usageFailure('The wallet is not a base58 address of 32 bytes.');
  return wallet;
}
