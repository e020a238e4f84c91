// Why an audit or a repair ends early, with a code for `summary.failure` that docs/audit.md explains.

import { failureOf } from '../frame/credentials.ts';
import { Failure } from '../terminal/failure.ts';

/** The clusters of Solana by the hash of their first block (`solana genesis-hash`). */
export const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  ['mainnet-beta', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
]);

export const noProgram = (program: string, { host }: URL): Failure =>
  new Failure(
    `There is no program at ${program} on the chain of ${host}. Check --program and --rpc.`,
    { code: 'no_program' },
  );

/** Describes what ended an audit or a repair. @param progressText a sentence about the progress so far */
export function endOf(cause: unknown, progressText: string): Failure {
  const isFailure = cause instanceof Failure;
  const { message, code = 'unconfirmed', exitStatus } = isFailure ? cause : failureOf(cause);
  // A closed output has no message.
  const what = message ? message.replace(/\.?$/, '.') : 'Standard output was closed.';
  const where = isFailure ? '' : 'Firestore could not be read or written. ';
  return new Failure(`${where}${what} ${progressText}`.trimEnd(), {
    cause,
    code: isFailure ? code : 'mirror',
    ...(exitStatus !== undefined && { exitStatus }),
  });
}
