// Reads a result: what the flags do not say.

import type { Attestation, LookupResult } from './contract.ts';

const TYPE = { verifiedHuman: 0, voted: 1, supported: 2, pollVoted: 4 } as const;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;
const ADDRESS_MAX_DIGITS = 44;

type Attestations = Pick<LookupResult, 'attestations'>;

/**
 * Whether the person voted in a proposal, and the chain has confirmed it.
 *
 * @param proposal the address of the proposal's account, base58
 * @throws TypeError when it is not such an address
 */
export const votedIn = (result: Attestations, proposal: string): boolean =>
  confirmed(result, TYPE.voted, addressHex(proposal)) !== undefined;

/** Whether the person supports a proposal; otherwise as `votedIn`. */
export const supports = (result: Attestations, proposal: string): boolean =>
  confirmed(result, TYPE.supported, addressHex(proposal)) !== undefined;

/**
 * Whether the person cast a vote in a poll, and the chain has confirmed it.
 *
 * @param nullifierHash of that vote, as the poll published it: 64 hex digits
 * @throws TypeError when it is not such a hash
 */
export function castPollVote(result: Attestations, nullifierHash: string): boolean {
  const hash = nullifierHash.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw new TypeError('The nullifier hash of a poll vote must have 64 hex digits.');
  }
  return confirmed(result, TYPE.pollVoted, hash) !== undefined;
}

/**
 * Tells one wallet from another without knowing either: the same for each lookup of one wallet, in
 * every mode and for every project.
 *
 * @returns undefined when the wallet is not that of a verified human
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

/** The 32 bytes of a base58 address as hex digits. */
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
