// Links an account to a wallet, unless this could show a person the results of somebody else.

import type { UserRecord } from 'firebase-admin/auth';
import type { Wallet } from '../../records/wallet.ts';
import { note } from '../frame/output.ts';
import type { ChangeTarget } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { formatAmount } from '../terminal/table.ts';
import { isLive, writeTokenRevocations } from '../tokens/records.ts';
import {
  CLAIMS_MAX_BYTES,
  claimOf,
  claimsWith,
  countAttestations,
  findOthers,
  hasWallet,
  nameOf,
  printOldTokens,
  readUserTokens,
  warnOfIdTokens,
  writeWallet,
} from './accounts.ts';

export interface LinkFlags {
  /** Allows a wallet that another account has. */
  readonly shared?: boolean;
  /** Allows an address that is not verified. */
  readonly unverified?: boolean;
  /** Whether to revoke the tokens of old wallets. An account that is already linked may have such tokens too. */
  readonly revokeTokens?: boolean;
}

/** @throws Failure that says why the account may not get the wallet */
export async function linkWallet(
  target: ChangeTarget,
  account: UserRecord,
  wallet: Wallet,
  flags: LinkFlags,
): Promise<void> {
  const [name, old] = [nameOf(account), claimOf(account)];
  const others = await findOthers(target, account, [wallet, old]);
  const holders = others.filter((other) => claimOf(other) === wallet);
  const reason = refusal(account, wallet, holders, flags);
  if (reason !== undefined) throw new Failure(`${name}: ${reason}.`);
  for (const holder of holders) note(`${nameOf(holder)} also has this wallet.`);

  const count = await countAttestations(target.db, wallet);
  const attestations = formatAmount(count, 'attestation');
  const isLinked = old === wallet;
  if (isLinked) note(`${name} already has this wallet, which has ${attestations}.`);
  // A mistyped address may be an address too, but one without attestations.
  else if (count === 0) note(`No attestation has the wallet ${wallet}. Check each character.`);
  const place = hasWallet(account) ? ` in place of ${old}` : '';
  const what = isLinked
    ? `Revoke the tokens of other wallets of ${name}`
    : `Give ${name} the wallet ${wallet}, with ${attestations},${place}`;
  const isOldShared = others.some((other) => claimOf(other) === old);
  await target.change(
    what,
    async () => {
      const tokens = await readUserTokens(target.db, account, isOldShared, target.openedAtMs);
      const live = tokens.filter((token) => isLive(token) && token.wallet !== wallet);
      // Revoked first, because a run after an interruption finds these tokens only while the account
      // still has the old wallet.
      if (flags.revokeTokens) await writeTokenRevocations(target.db, live);
      if (!isLinked) {
        await writeWallet(target.accounts(), account, wallet);
        note(`${name} now has the wallet ${wallet}.`);
      }
      await printOldTokens(live, flags.revokeTokens === true);
    },
    { asks: !isLinked || flags.revokeTokens === true },
  );
  if (!isLinked && hasWallet(account)) {
    warnOfIdTokens('run this again with --revoke-tokens to revoke those');
  }
}

function refusal(
  account: UserRecord,
  wallet: Wallet,
  holders: readonly UserRecord[],
  { shared, unverified }: LinkFlags,
): string | undefined {
  if (account.disabled) return 'the account is disabled; enable it first';
  // Anybody can sign up with somebody else's address, and lookups do not check whether it is verified.
  if (!account.emailVerified && !unverified) {
    return 'this address is not verified; ask the person to verify it, or add --unverified if you know that it is theirs';
  }
  const size = Buffer.byteLength(JSON.stringify(claimsWith(account, wallet)));
  if (size > CLAIMS_MAX_BYTES) {
    return `all claims of the account would be ${size} bytes, but Authentication accepts ${CLAIMS_MAX_BYTES}; shorten the other claims`;
  }
  if (holders.length === 0 || shared) return undefined;
  const names = holders.map(nameOf).join(', ');
  return `${names} already has the wallet; unlink it there first, or add --shared if one person has both accounts`;
}
