// Reads accounts on the chain, and the cluster and the clock of a node. Never reports a failure as a missing account.

import * as z from 'zod';
import { ADDRESS_PATTERN } from '../../contract/result.ts';
import { Failure } from '../terminal/failure.ts';
import { callRpc, type Node } from './rpc.ts';

/** The most addresses that `getMultipleAccounts` takes. */
export const ACCOUNTS_PER_REQUEST = 100;

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** Where each node keeps its slot and its time (the sysvar Clock). */
const CLOCK_ADDRESS = 'SysvarC1ock11111111111111111111111111111111';
/** Offsets in the data of the Clock. */
const [SLOT, UNIX_TIMESTAMP] = [0, 32];
/** How much of an account's data is read. The time of the Clock ends at this byte. */
const DATA_BYTES = 40;

export interface Account {
  /** Base58 address of the program that owns it. */
  readonly owner: string;
  /** The first 40 bytes. */
  readonly data: Buffer;
}

/**
 * The commitment level of a read. The mirror marks an attestation as confirmed once it has reached the
 * level `confirmed`. `finalized` cannot be undone, but lags some 13 seconds behind and lacks the newest
 * attestations.
 */
type Commitment = 'confirmed' | 'finalized';

const address = z.string().regex(ADDRESS_PATTERN);
const data = z.tuple([z.base64(), z.literal('base64')]);
const stored = z.object({ owner: address, data }).transform(({ owner, data: [text] }) => {
  // Anybody can send lamports to an address, which only opens an account of the system program.
  const exists = owner !== SYSTEM_PROGRAM || text !== '';
  return exists ? { owner, data: Buffer.from(text, 'base64') } : null;
});
const accountList = z.object({ value: z.array(stored.nullable()) });

/**
 * Reads the account of each address, or null if it does not exist. Sends no request for no addresses.
 *
 * @param addresses up to `ACCOUNTS_PER_REQUEST`, base58 of 32 bytes
 * @param isValid what the result must also fulfil
 * @throws Failure
 */
export async function readAccounts(
  node: Node,
  addresses: readonly string[],
  commitment: Commitment = 'confirmed',
  isValid: (accounts: readonly (Account | null)[]) => boolean = () => true,
): Promise<readonly (Account | null)[]> {
  if (addresses.length === 0) return [];
  const list = accountList.refine(
    ({ value }) => value.length === addresses.length && isValid(value),
  );
  const params = [addresses, options(node, commitment, DATA_BYTES)];
  return (await callRpc(node, 'getMultipleAccounts', params, list)).value;
}

/**
 * Reads the node's slot and time as of the level `finalized`.
 *
 * @param program base58 address of the program that the chain must have
 * @returns the time in milliseconds since the epoch
 * @throws Failure
 */
export async function readFinalized(
  node: Node,
  program: string,
): Promise<{ slot: number; timeMs: number }> {
  const [clock, programAccount] = await readAccounts(
    node,
    [CLOCK_ADDRESS, program],
    'finalized',
    ([first]) => first?.data.length === DATA_BYTES,
  );
  if (!programAccount) {
    throw new Failure(
      `There is no program at ${program} on the chain of ${node.url.host}. Check --program and --rpc.`,
      { code: 'no_program' },
    );
  }
  return {
    slot: Number(clock?.data.readBigUInt64LE(SLOT)),
    timeMs: Number(clock?.data.readBigInt64LE(UNIX_TIMESTAMP)) * 1000,
  };
}

const programAccounts = z.array(z.object({ pubkey: address }));
/** A node scans all of its accounts for this request. Without its data, an account is some 240 bytes long. */
const PROGRAM_ACCOUNTS_LIMITS = { timeoutMs: 60_000, maxBytes: 256 * 2 ** 20 };

/**
 * Reads the base58 addresses of a program's accounts. Many public nodes refuse this request.
 *
 * @param program base58 of 32 bytes
 * @throws Failure for any failure; `refused` gives the node's own reason
 */
export async function readProgramAccounts(node: Node, program: string): Promise<Set<string>> {
  const params = [program, options(node, 'confirmed', 0)];
  const limits = PROGRAM_ACCOUNTS_LIMITS;
  const accounts = await callRpc(node, 'getProgramAccounts', params, programAccounts, limits);
  return new Set(accounts.map(({ pubkey }) => pubkey));
}

/** A node behind a load balancer may lag, so each read names the slot that the node must have reached. */
const options = ({ slot }: Node, commitment: Commitment, length: number) => ({
  commitment,
  encoding: 'base64',
  dataSlice: { offset: 0, length },
  ...(slot !== undefined && { minContextSlot: slot }),
});

/** Reads the hash of the first block, which identifies the cluster. @throws Failure */
export const readGenesisHash = (node: Node): Promise<string> =>
  callRpc(node, 'getGenesisHash', [], z.string());
