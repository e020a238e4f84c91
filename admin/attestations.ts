// The group `attestations`: checking what is mirrored (specification, 2.1 and 2.3).

import { type Command, InvalidArgumentError } from 'commander';
import { parseWallet, type Wallet } from '../records/wallet.ts';
import { Failure } from '../terminal/failure.ts';
import { AUDIT_STATUS } from './audit/findings.ts';
import { openTarget } from './target.ts';

interface AuditFlags {
  readonly rpc: URL;
  readonly program: Wallet;
  readonly wallet?: Wallet;
  readonly json?: boolean;
}

export function addAttestationsGroup(program: Command): void {
  const attestations = program
    .command('attestations')
    .description('check the mirrored attestations against the chain');

  attestations
    .command('audit')
    .description('compare the mirror with the chain, and report what differs; it changes nothing')
    .requiredOption('--rpc <url>', 'the JSON-RPC endpoint of the chain', parseRpc)
    .requiredOption('--program <address>', 'the attestation program', parseAddress)
    .option('--wallet <address>', 'audit the attestations of this wallet alone', parseAddress)
    .option('--json', 'print JSON: {"findings": [...], "summary": {...}}')
    .addHelpText(
      'after',
      '\nExit status: 0 no findings, 1 findings, 2 usage, 3 the chain or the mirror could not be asked.' +
        '\ndocs/operations.md says what to do about each finding.',
    )
    .action(async (flags: AuditFlags, command: Command) => {
      try {
        await using target = await openTarget(command);
        // Loaded late: no other command needs the chain's library.
        const { runAudit } = await import('./audit/run.ts');
        process.exitCode = await runAudit(target.db, flags);
      } catch (error) {
        throw error instanceof Failure && error.exitStatus !== AUDIT_STATUS.findings
          ? error
          : unfinished(error);
      }
    });
}

/** Gives a failure of another room a status of its own: 1 is kept for findings. */
function unfinished(cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure(`The audit could not be finished: ${reason}`, {
    exitStatus: AUDIT_STATUS.unknown,
    cause,
  });
}

function parseAddress(value: string): Wallet {
  const address = parseWallet(value);
  if (address === undefined) throw new InvalidArgumentError('It is not base58 of 32 bytes.');
  return address;
}

function parseRpc(value: string): URL {
  const url = URL.parse(value);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('It is not an http or https address.');
  }
  if (url.username || url.password) {
    throw new InvalidArgumentError('It must not hold a user name or a password.');
  }
  return url;
}
