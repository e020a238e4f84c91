// Shows an account, its wallet, and why lookups by its address may fail.

import type { UserRecord } from 'firebase-admin/auth';
import { printJson, printTable } from '../frame/output.ts';
import type { Target } from '../frame/target.ts';
import { isLive, readTokens } from '../tokens/records.ts';
import { claimOf, walletOf } from './accounts.ts';

export async function show(target: Target, account: UserRecord, asJson: boolean): Promise<void> {
  const { uid, email, emailVerified, disabled, metadata, customClaims = {} } = account;
  const tokens = await readTokens(target.db, { uid: account.uid }, target.openedAtMs);
  const wallet = claimOf(account);
  const shown = {
    email,
    uid,
    wallet: wallet === undefined ? null : String(wallet),
    /** Null if lookups by the address find the wallet. */
    notFoundBecause: notFoundReason(account) ?? null,
    emailVerified,
    disabled,
    createdAt: isoOf(metadata.creationTime),
    lastSignInAt: isoOf(metadata.lastSignInTime),
    liveTokens: tokens.filter(isLive).length,
    // Only the names, since the values belong to other programs.
    otherClaims: Object.keys(customClaims).filter((name) => name !== 'wallet'),
  };
  if (asJson) return await printJson(shown);
  const reason = shown.notFoundBecause;
  await printTable(
    ['FIELD', 'VALUE'],
    [
      ['e-mail', email],
      ['uid', uid],
      ['wallet', shown.wallet],
      ['lookups by e-mail', reason ? `404: ${reason}` : 'find the wallet'],
      ['address verified', emailVerified ? 'yes' : 'no'],
      ['disabled', disabled ? 'yes' : 'no'],
      ['created', shown.createdAt],
      ['last sign-in', shown.lastSignInAt],
      ['valid tokens', String(shown.liveTokens)],
      ['other claims', shown.otherClaims.join(', ') || null],
    ],
  );
}

/** @param time in the format of Authentication; empty or null if there is none */
const isoOf = (time: string | null | undefined): string | null =>
  time ? new Date(time).toISOString() : null;

/** Why lookups by the account's address return 404; undefined if they find its wallet. */
function notFoundReason(account: UserRecord): string | undefined {
  if (account.disabled) return 'the account is disabled';
  if (claimOf(account) === undefined) return 'the account has no wallet';
  return walletOf(account) === undefined ? 'the claim `wallet` is not a valid wallet' : undefined;
}
