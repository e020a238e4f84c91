// The commands that change what is mirrored: `attestations repair` and `attestations restore`.

import { type Command, InvalidArgumentError } from 'commander';
import { usageFailure } from '../../terminal/failure.ts';
import { addChainOptions, type ChainOptions } from '../audit/commands.ts';
import { unfinished } from '../audit/failures.ts';
import { currentRun } from '../frame/run.ts';
import { openTarget, openToChange } from '../frame/target.ts';
import { REPAIR_KINDS, type RepairKind } from './changes.ts';

interface RepairFlags extends ChainOptions {
  readonly readyToConfirm?: boolean;
  readonly missingOnChain?: boolean;
  readonly duplicate?: boolean;
  readonly delete?: boolean;
  readonly apply?: boolean;
  readonly max: number;
  readonly backup?: string;
  readonly acceptWarning?: readonly RepairKind[];
  readonly json?: boolean;
}

const MAX_CHANGES = 50;

export function addRepairCommands(attestations: Command): void {
  addChainOptions(
    attestations
      .command('repair')
      .description('repair what an audit has found; without --apply it only says what it would do'),
  )
    .option('--ready-to-confirm', 'confirm documents whose account is there')
    .option('--missing-on-chain', 'delete confirmed documents whose account is not there')
    .option('--duplicate', 'delete documents that the endpoint does not return for another')
    .option('--apply', 'make the changes')
    .option('--delete', 'allow --apply to delete documents')
    .option('--max <count>', 'the most changes that are made', parseCount, MAX_CHANGES)
    .option(
      '--backup <file>',
      'where each document is saved before (default: poh-repair-TIME.jsonl)',
    )
    .option(
      '--accept-warning <kind>',
      'repair this kind although a warning concerns it; once for each kind',
      parseKind,
    )
    .option('--json', 'print JSON: {"changes": [...], "summary": {...}}')
    .addHelpText(
      'after',
      '\nExit status: 0 nothing is left to repair, 1 something is, 2 usage, 3 it ended early, 130 Ctrl-C.',
    )
    .action(async (flags: RepairFlags, command: Command) => {
      const given = { ...flags, kinds: kindsOf(flags), backup: flags.backup ?? newBackupName() };
      try {
        // Loaded late: no other command needs the chain's library.
        const { runRepair } = await import('./run.ts');
        if (flags.apply) {
          await using target = await openToChange(command);
          const scope = { ...given, nowMs: target.nowMs };
          currentRun().exitStatus = await runRepair(target, scope, target.confirm);
        } else {
          await using target = await openTarget(command);
          const scope = { ...given, nowMs: target.nowMs };
          currentRun().exitStatus = await runRepair(target, scope);
        }
      } catch (error) {
        throw unfinished('repair', error);
      }
    });

  attestations
    .command('restore')
    .description('put documents back that a repair has changed, unless they were written since')
    .argument('<file>', 'the file that `attestations repair --apply` wrote')
    .option('--apply', 'put them back: without it, it only says what it would do')
    .action(async (file: string, { apply }: { apply?: boolean }, command: Command) => {
      const { runRestore } = await import('./restore.ts');
      if (apply) {
        await using target = await openToChange(command);
        currentRun().exitStatus = await runRestore(target, file, target.confirm);
      } else {
        await using target = await openTarget(command);
        currentRun().exitStatus = await runRestore(target, file);
      }
    });
}

/** @throws Failure when no kind is named, or one that deletes without --delete */
function kindsOf(flags: RepairFlags): RepairKind[] {
  const deletes = flags.missingOnChain || flags.duplicate;
  if (!flags.readyToConfirm && !deletes) {
    throw usageFailure(
      'Name what to repair: --ready-to-confirm, --missing-on-chain, --duplicate, or several of them.',
    );
  }
  if (flags.apply && deletes && !flags.delete) {
    throw usageFailure(
      '--missing-on-chain and --duplicate delete documents: add --delete to --apply, once you have ' +
        'seen what they would delete.',
    );
  }
  return [
    ...(flags.readyToConfirm ? (['ready_to_confirm'] as const) : []),
    ...(flags.missingOnChain ? (['missing_on_chain'] as const) : []),
    ...(flags.duplicate ? (['duplicate'] as const) : []),
  ];
}

function parseKind(text: string, before: readonly RepairKind[] = []): RepairKind[] {
  const kind = REPAIR_KINDS.find((name) => name === text);
  if (kind === undefined) {
    throw new InvalidArgumentError(`It is none of ${REPAIR_KINDS.join(', ')}.`);
  }
  return [...before, kind];
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) {
    throw new InvalidArgumentError('It is not a whole number.');
  }
  return count;
}

/** A name of its own for each run, since a backup is never overwritten. */
const newBackupName = (): string =>
  `poh-repair-${new Date().toISOString().replaceAll(':', '-')}.jsonl`;
