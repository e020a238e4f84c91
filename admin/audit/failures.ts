// Why an audit or a repair ends early: with a code for `summary.failure`, and with its own exit status.

import { parseWallet } from '../../records/wallet.ts';
import { failureOf } from '../frame/credentials.ts';
import { Failure } from '../terminal/failure.ts';
import { formatCount } from '../terminal/table.ts';
import { AUDIT_STATUS } from './findings.ts';

/** The clusters of Solana by the hash of their first block (`solana genesis-hash`). */
export const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  ['mainnet-beta', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
]);

/** @param code of `summary.failure`, which docs/audit.md explains */
export const earlyEnd = (
  code: string,
  message: string,
  options: ErrorOptions & { exitStatus?: number } = {},
): Failure => new Failure(message, { exitStatus: AUDIT_STATUS.unknown, code, ...options });

export const noProgram = (program: string, { host }: URL): Failure =>
  earlyEnd(
    'no_program',
    `There is no program at ${program} on the chain of ${host}. Check --program and --rpc.`,
  );

export const wrongCluster = ({ host }: URL, genesisHash: string): Failure =>
  earlyEnd(
    'wrong_cluster',
    `${host} is on ${nameOf(genesisHash)}, not on the expected cluster. Check --rpc, or name the ` +
      "deployment's cluster with --cluster.",
  );

/** The name of the cluster, or its hash if it has no name. An invalid hash is not repeated. */
const nameOf = (genesisHash: string): string =>
  [...CLUSTERS].find(([, hash]) => hash === genesisHash)?.[0] ??
  `a cluster with the genesis hash ${parseWallet(genesisHash) ?? '(not a hash)'}`;

export const staleNode = ({ host }: URL, ageMs: number): Failure =>
  earlyEnd(
    'stale_node',
    `${host} is ${formatCount(Math.round(ageMs / 60_000))} minutes behind the chain. Use another ` +
      'endpoint, or try again once it has caught up.',
  );

export const emptyMirror = (): Failure =>
  earlyEnd(
    'empty_mirror',
    'The mirror has no documents at all. Check --firebase-project, and whether the mirror was lost. ' +
      'Add --allow-empty if it is meant to be empty.',
  );

/**
 * Describes what ended an audit or a repair. A failure without a status gets exit status 3, because 1 means
 * "findings".
 *
 * @param progressText a sentence about the progress so far
 */
export function endOf(cause: unknown, progressText = ''): Failure {
  const { message, code, exitStatus } =
    cause instanceof Failure ? cause : earlyEnd('mirror', mirrorText(cause), { cause });
  // A closed output has no message.
  const what = progressText && `${message || 'Standard output was closed.'} ${progressText}`;
  return new Failure(what || message, {
    cause,
    ...(code !== undefined && { code }),
    exitStatus: exitStatus === AUDIT_STATUS.findings ? AUDIT_STATUS.unknown : exitStatus,
  });
}

const mirrorText = (cause: unknown): string =>
  `Firestore could not be read or written. ${failureOf(cause).message.replace(/\.?$/, '.')}`;
