// The format of the keys that we issue, and what admins are told about a key. The endpoint accepts any key whose hash has
// a record.

import bs58check from 'bs58check';
import type { Mode } from '../contract/endpoint.ts';
import { type StoredKey, shownState } from './apiKey.ts';
import { comparable } from './project.ts';

/** Finds a key in any text. Secret scanners can use it too. It does not verify the checksum. */
export const API_KEY_PATTERN = /\bpoh_[1-9A-HJ-NP-Za-km-z]{44,50}\b/;

/**
 * Makes a key of `poh_` and the Base58Check encoding of 32 secret bytes (4-byte double SHA-256 checksum).
 *
 * @param randomBytes the browser's or Node's cryptographic random number generator
 */
export const newApiKey = (randomBytes: (count: number) => Uint8Array): string =>
  `poh_${bs58check.encode(randomBytes(32))}`;

/** What a mode lets a project find out. */
export const MODE_REVEALS: Readonly<Record<Mode, string>> = {
  wallet: 'Shows anybody whose wallet is known. Wallets are public on the chain.',
  email: 'Shows whether an address has an account, and that person’s records.',
  token: 'Shows only people who gave the project a token in the last 24 hours.',
};

/** As in "2026-12-01 09:00 UTC". */
export const formatUtc = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Why nothing can be done with a key. Undefined if it is active. @param nameActor names who has revoked it */
export function obstacleOf(
  key: StoredKey,
  nowMs: number,
  formatTime: (ms: number) => string,
  nameActor: (actor: string | undefined) => string,
): string | undefined {
  const { id, revokedAt, revokedBy, expiresAt = 0 } = key;
  const when = revokedAt === undefined ? '' : ` on ${formatTime(revokedAt)}`;
  const obstacles = {
    active: undefined,
    revoked: `The key ${id} was already revoked${when} by ${nameActor(revokedBy)}.`,
    ended: `The key ${id} has already ended, on ${formatTime(expiresAt)}.`,
    unusable: `The key ${id} is unusable. ${Object.values(key.faults).join('. ')}.`,
  };
  return obstacles[shownState(key, nowMs)];
}

/** The active key that a project has already, so that a rotation may be meant instead of a new key. */
export const activeKeyOf = (
  keys: readonly StoredKey[],
  project: string,
  nowMs: number,
): StoredKey | undefined => {
  const wanted = comparable(project);
  // A key that was created by hand may have no project.
  return keys.find(
    (key) =>
      wanted !== '' &&
      shownState(key, nowMs) === 'active' &&
      comparable(key.project ?? '') === wanted,
  );
};
