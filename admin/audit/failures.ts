// Why an audit or a repair ends early, with its report and its exit status.

import { parseWallet } from '../../records/wallet.ts';
import { CHAIN_FAILURES, ChainError, type ChainFailureCode } from '../chain/chainFailure.ts';
import { DEFAULT_LIMITS } from '../chain/rpc.ts';
import { failureOf } from '../frame/credentials.ts';
import { Failure } from '../terminal/failure.ts';
import { formatCount } from '../terminal/table.ts';
import { AUDIT_STATUS } from './findings.ts';

/** The clusters of Solana by the hash of their first block (`solana genesis-hash`). */
export const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  ['mainnet-beta', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
]);

/** Reasons to refuse an audit whose findings would be meaningless. `summary.failure.code` may be one of them. */
export const AUDIT_REFUSALS = [
  'wrong_cluster',
  'stale_node',
  'no_program',
  'empty_mirror',
] as const;

export type AuditRefusalCode = (typeof AUDIT_REFUSALS)[number];

/** The audit could not begin; the message is human-readable. */
export class AuditRefusal extends Error {
  override readonly name = 'AuditRefusal';
  readonly code: AuditRefusalCode;

  constructor(code: AuditRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const noProgram = (program: string, host: string): AuditRefusal =>
  new AuditRefusal(
    'no_program',
    `There is no program at ${program} on the chain of ${host}. Check --program and --rpc.`,
  );

export const wrongCluster = (host: string, genesisHash: string): AuditRefusal =>
  new AuditRefusal(
    'wrong_cluster',
    `${host} is on ${nameOf(genesisHash)}, not on the expected cluster. Check --rpc, or name the ` +
      "deployment's cluster with --cluster.",
  );

/** The name of the cluster, or its hash if it has no name. An invalid hash is not repeated. */
const nameOf = (genesisHash: string): string =>
  [...CLUSTERS].find(([, hash]) => hash === genesisHash)?.[0] ??
  `a cluster with the genesis hash ${parseWallet(genesisHash) ?? '(not a hash)'}`;

export const staleNode = (host: string, ageMs: number): AuditRefusal =>
  new AuditRefusal(
    'stale_node',
    `${host} is ${formatCount(Math.round(ageMs / 60_000))} minutes behind the chain. Use another ` +
      'endpoint, or try again once it has caught up.',
  );

export const emptyMirror = (): AuditRefusal =>
  new AuditRefusal(
    'empty_mirror',
    'The mirror has no documents at all. Check --firebase-project, and whether the mirror was lost. ' +
      'Add --allow-empty if it is meant to be empty.',
  );

/** Why an audit ended early; branch on `code`. */
export interface AuditFailure {
  readonly code: ChainFailureCode | AuditRefusalCode | 'mirror';
  readonly message: string;
}

/**
 * Describes an error that ended an audit or a repair.
 *
 * @param progressText a sentence about the progress so far
 */
export function describeFailure(error: unknown, { host }: URL, progressText: string): AuditFailure {
  if (error instanceof AuditRefusal) return { code: error.code, message: error.message };
  if (error instanceof ChainError) {
    // Name only the host, because the rest of the address often contains the endpoint's key.
    const { advice, transient } = CHAIN_FAILURES[error.code];
    const attempts = transient ? `, after ${DEFAULT_LIMITS.maxAttempts} attempts` : '';
    const what = `The chain could not be read: ${host} ${error.message}${attempts}.`;
    return { code: error.code, message: `${what} ${progressText} ${advice}` };
  }
  const cause = failureOf(error).message.replace(/\.?$/, '.');
  return {
    code: 'mirror',
    message: `Firestore could not be read or written. ${cause} ${progressText}`,
  };
}

/** Maps other failures to exit status 3, because 1 means "findings". */
export function toUnknownStatus(what: string, cause: unknown): Failure {
  if (cause instanceof Failure) {
    if (cause.exitStatus !== AUDIT_STATUS.findings) return cause;
    return new Failure(cause.message, { exitStatus: AUDIT_STATUS.unknown, cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure(`The ${what} could not be finished: ${reason}`, {
    exitStatus: AUDIT_STATUS.unknown,
    cause,
  });
}
