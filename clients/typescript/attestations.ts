// Reads details that the flags of a result do not contain.

import type { Attestation, LookupResult } from './contract.ts';

const TYPE = { verifiedHuman: 0, voted: 1, supported: 2, pollVoted: 4 } as const;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
const ADDRESS_MAX_DIGITS = 44;

type Attestations = Pick<LookupResult, 'attestations'>;

/**
 * Whether the person voted on a proposal, as confirmed by the chain.
 *
 * @param proposal the base58 address of the proposal's account
 * @throws TypeError if the address is invalid
 */
export const votedIn = (result: Attestations, proposal: string): boolean =>
  confirmed(result, TYPE.voted, addressHex(proposal)) !== undefined;

/** Whether the person supports a proposal, as confirmed by the chain. See `votedIn`. */
export const supports = (result: Attestations, proposal: string): boolean =>
  confirmed(result, TYPE.supported, addressHex(proposal)) !== undefined;

/**
 * Whether the person cast a vote in a poll, as confirmed by the chain.
 *
 * @param nullifierHash 64 hex digits, as the poll published them
 * @throws TypeError if the hash is invalid
 */
export function castPollVote(result: Attestations, nullifierHash: string): boolean {
  const hash = nullifierHash.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw new TypeError('The nullifier hash of a poll vote must have 64 hex digits.');
  }
  return confirmed(result, TYPE.pollVoted, hash) !== undefined;
}

/**
 * Identifies a wallet without revealing its address. Every lookup of the wallet returns the same mark,
 * in every mode and for every project.
 *
 * @returns undefined if the wallet's holder is not a verified human
 */
export const walletMark = (result: Attestations): string | undefined =>
  confirmed(result, TYPE.verifiedHuman, '0'.repeat(2 * ADDRESS_BYTES))?.onChainAddress;

const confirmed = (
  { attestations }: Attestations,
  type: number,
  contextHashHex: string,
): Attestation | undefined =>
  attestations.find(
    (attestation) =>
      attestation.attestationType === type &&
      attestation.status === 'confirmed' &&
      attestation.contextHashHex.toLowerCase() === contextHashHex,
  );

/** Converts a base58 address of 32 bytes to hex digits. */
function addressHex(address: string): string {
  const digits = [...address.trim()].map((digit) => ALPHABET.indexOf(digit));
  const isAddress = digits.length <= ADDRESS_MAX_DIGITS && !digits.includes(-1);
  const value = isAddress
    ? digits.reduce((sum: bigint, digit) => sum * 58n + BigInt(digit), 0n)
    : 0n;
  const significant = value === 0n ? '' : value.toString(16);
  const zeros = digits.findIndex((digit) => digit !== 0);
  const leading = zeros === -1 ? digits.length : zeros;
  const hex =
    '00'.repeat(leading) + significant.padStart(2 * Math.ceil(significant.length / 2), '0');
  if (isAddress && hex.length === 2 * ADDRESS_BYTES) return hex;
  throw new TypeError("A proposal's address must be base58 of 32 bytes.");
}
