// The group `attestations`: checking what is mirrored (specification, 2.1 and 2.3).

import type { Command } from 'commander';
import { usageFailure } from '../terminal/failure.ts';
import { addRepairCommands } from './attestationsRepair.ts';
import { unfinished } from './audit/unfinished.ts';
import { addChainOptions, type ChainOptions } from './chainOptions.ts';
import { currentRun } from './run.ts';
import { openTarget } from './target.ts';

interface AuditFlags extends ChainOptions {
  readonly bothWays?: boolean;
  readonly allowEmpty?: boolean;
  readonly json?: boolean;
}

export function addAttestationsGroup(program: Command): void {
  const attestations = program
    .command('attestations')
    .description('check the mirrored attestations against the chain, and repair them');

  addChainOptions(
    attestations
      .command('audit')
      .description(
        'compare the mirror with the chain, and report what differs; it changes nothing',
      ),
  )
    .option('--both-ways', 'also find accounts of the program that no document has')
    .option('--allow-empty', 'accept a mirror without any document')
    .option('--json', 'print JSON: {"findings": [...], "summary": {...}}')
    .addHelpText(
      'after',
      '\nExit status: 0 no findings, 1 findings, 2 usage, 3 nothing is known: the chain or the mirror' +
        '\ncould not be read, the program does not exist there, or the mirror is empty.' +
        '\ndocs/operations.md says what to do about each finding.',
    )
    .action(async (flags: AuditFlags, command: Command) => {
      if (flags.bothWays && flags.wallet) {
        throw usageFailure(
          'An account does not show whose it is: name --wallet or --both-ways, not both.',
        );
      }
      try {
        await using target = await openTarget(command);
        // Loaded late: no other command needs the chain's library.
        const { runAudit } = await import('./audit/run.ts');
        currentRun().exitStatus = await runAudit(target, flags);
      } catch (error) {
        throw unfinished('audit', error);
      }
    });

  addRepairCommands(attestations);
}
