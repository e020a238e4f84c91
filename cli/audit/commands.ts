// The command `attestations audit`, which checks the mirror (specification, 2.1 and 2.3).

import { type Command, InvalidArgumentError, Option } from 'commander';
import { example, parseAddress } from '../frame/input.ts';
import { currentRun } from '../frame/run.ts';
import { openTarget } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { type AuditOptions, runAudit } from './audit.ts';

export function addAuditCommand(attestations: Command): void {
  attestations
    .command('audit')
    .description('compare the mirror with the chain and report the differences; it changes nothing')
    .addOption(
      new Option('--rpc <url>', 'the JSON-RPC endpoint of the chain')
        .env('RPC_URL')
        .argParser(parseRpc)
        .makeOptionMandatory(),
    )
    .requiredOption('--program <address>', 'the attestation program', parseAddress)
    .option('--wallet <address>', 'only the attestations of this wallet', parseAddress)
    // An account does not name its wallet.
    .addOption(
      new Option('--both-ways', 'also find accounts of the program without a document').conflicts(
        'wallet',
      ),
    )
    .option(
      '--max-sync-hours <count>',
      'warn if no document was synced in this many hours',
      parseCount,
      72,
    )
    .option('--json', 'print a JSON object a line: each finding, then the summary')
    .addHelpText(
      'after',
      '\nExit status: 0 no findings, 1 findings, a stale mirror or accounts that were not' +
        '\nlisted, 2 usage, 3 not completed.' +
        '\ndocs/audit.md says what to do about status 3, and about each finding.',
    )
    .addHelpText('after', example('attestations audit --rpc URL --program ADDRESS'))
    .action(async (options: AuditOptions, command: Command) => {
      await using target = await openTarget(command);
      currentRun().exitStatus = await runAudit(target, options);
    });
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) {
    throw new InvalidArgumentError('It is not a whole number.');
  }
  return count;
}

/** @throws Failure (exit status 2) that omits the address, which may contain a key or a password */
function parseRpc(value: string): URL {
  const url = URL.parse(value);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usageFailure('--rpc must be an http or https address.');
  }
  if (url.username || url.password) {
    throw usageFailure('--rpc must not contain a user name or a password.');
  }
  return url;
}
