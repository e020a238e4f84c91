// The commands that change the mirror: `attestations repair` and `attestations restore`.

import { type Command, Option } from 'commander';
import { addChainOptions, parseCount } from '../audit/commands.ts';
import { currentRun } from '../frame/run.ts';
import { openFor } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { REPAIR_KINDS, REPAIRS, type RepairKind } from './changes.ts';
import type { RepairScope } from './run.ts';

interface RepairFlags extends Omit<RepairScope, 'kinds' | 'nowMs'> {
  readonly readyToConfirm?: boolean;
  readonly missingOnChain?: boolean;
  readonly duplicate?: boolean;
  readonly delete?: boolean;
  readonly apply?: boolean;
}

const MAX_CHANGES = 50;
/** A new name for each run, because a backup is never overwritten. */
const NEW_BACKUP = `poh-repair-${new Date().toISOString().replaceAll(':', '-')}.jsonl`;

export function addRepairCommands(attestations: Command): void {
  addChainOptions(
    attestations
      .command('repair')
      .description('audit and repair the mirror; without --apply, only show what would be changed'),
  )
    .option('--ready-to-confirm', 'confirm pending documents whose account is on the chain')
    .option('--missing-on-chain', 'delete confirmed documents whose account is not on the chain')
    .option('--duplicate', 'delete duplicates, and keep the document that the endpoint returns')
    .option('--apply', 'make the changes')
    .option('--delete', 'allow --apply to delete documents')
    .option('--max <count>', 'refuse to make more changes than this', parseCount, MAX_CHANGES)
    .addOption(
      new Option(
        '--backup <file>',
        'the file for copies of the documents before the change',
      ).default(NEW_BACKUP, 'poh-repair-TIME.jsonl'),
    )
    .addOption(
      new Option(
        '--accept-warning <kind...>',
        'repair these kinds of findings in spite of a warning',
      ).choices(REPAIR_KINDS),
    )
    .option('--json', 'print JSON: {"changes": [...], "summary": {...}}')
    .addHelpText(
      'after',
      '\nExit status: 0 nothing left to repair, 1 something left to repair, 2 usage or refused, 3 ended early, 130 Ctrl-C.',
    )
    .action(async (flags: RepairFlags, command: Command) => {
      const kinds = kindsOf(flags);
      // Loaded on demand, because other commands do not need the chain's library.
      const { runRepair } = await import('./run.ts');
      await using target = await openFor(flags.apply, command);
      const scope = { ...flags, kinds, nowMs: target.nowMs };
      currentRun().exitStatus = await runRepair(target, scope, target.confirm);
    });

  attestations
    .command('restore')
    .description('restore documents that a repair has changed, unless they have been changed since')
    .argument('<file>', 'the file that `attestations repair --apply` wrote')
    .option('--apply', 'restore them; without it, only show what would be restored')
    .addHelpText(
      'after',
      '\nExit status: 0 nothing left to restore, 1 something left or skipped, 2 usage, 3 ended early, 130 Ctrl-C.',
    )
    .action(async (file: string, { apply }: { apply?: boolean }, command: Command) => {
      const { runRestore } = await import('./backup.ts');
      await using target = await openFor(apply, command);
      currentRun().exitStatus = await runRestore(target, file, target.confirm);
    });
}

/** @throws Failure when no kind is named, or when a kind needs --delete and it is missing */
function kindsOf({
  readyToConfirm,
  missingOnChain,
  duplicate,
  ...flags
}: RepairFlags): RepairKind[] {
  const named = { ready_to_confirm: readyToConfirm, missing_on_chain: missingOnChain, duplicate };
  const kinds = REPAIR_KINDS.filter((kind) => named[kind]);
  if (kinds.length === 0) {
    throw usageFailure(
      'Name what to repair: --ready-to-confirm, --missing-on-chain, --duplicate, or several of them.',
    );
  }
  if (flags.apply && !flags.delete && kinds.some((kind) => REPAIRS[kind] === 'delete')) {
    throw usageFailure(
      '--missing-on-chain and --duplicate delete documents. Run the command without --apply to see ' +
        'which, then add --delete to --apply.',
    );
  }
  return kinds;
}
