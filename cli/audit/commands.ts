// The group `attestations`, whose one command checks the mirror (specification, 2.1 and 2.3).

import { Option } from 'commander';
import { SYNC_HOURS_MAX } from '../../contract/mirrorStatus.ts';
import { parseAddress, parseCount } from '../frame/input.ts';
import { currentRun } from '../frame/run.ts';
import type { AdminCommand } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { AUDIT_STATUS, runAudit } from './audit.ts';

export function addAttestationsGroup(program: AdminCommand): void {
  program
    .command('attestations')
    .description('check the mirrored attestations against the chain')
    .hook('preAction', () => {
      // 1 means that there are findings.
      currentRun().failedStatus = AUDIT_STATUS.unknown;
    })
    .command('audit')
    .description('compare the mirror with the chain and report the differences; it changes nothing')
    .addOption(
      new Option('--rpc <url>', 'the JSON-RPC endpoint of the chain (required)')
        .env('RPC_URL')
        .argParser(parseRpc)
        .makeOptionMandatory(),
    )
    .requiredOption('--program <address>', 'the attestation program (required)', parseAddress)
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
      SYNC_HOURS_MAX,
    )
    .option('--json', 'print a JSON object a line: each finding, then the summary')
    .addHelpText(
      'after',
      `
Exit status: ${AUDIT_STATUS.noFindings} no findings, ${AUDIT_STATUS.findings} findings, a stale mirror or accounts that were not
listed, 2 usage, ${AUDIT_STATUS.unknown} not completed.
docs/runbook.md says what to do about status ${AUDIT_STATUS.unknown}, and about each finding.`,
    )
    .example('attestations audit --rpc URL --program ADDRESS')
    .onTarget(runAudit);
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
