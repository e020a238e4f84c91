// The command line: its groups of commands, and what all commands share.

import { type Command, CommanderError } from 'commander';
import { addAdminsGroup } from './admins/commands.ts';
import { addAttestationsGroup } from './audit/commands.ts';
import { failureOf } from './frame/firebaseProject.ts';
import { note } from './frame/output.ts';
import { currentRun, type Run, withRun } from './frame/run.ts';
import { AdminCommand, type GlobalOptions } from './frame/target.ts';
import { addKeysGroup } from './keys/commands.ts';
import { addSigningKeysGroup } from './signing/commands.ts';
import { addSmokeCommand } from './smoke/commands.ts';
import { addStatusGroup } from './status/commands.ts';
import { USAGE } from './terminal/failure.ts';
import { escapeLines } from './terminal/table.ts';
import { addTokensGroup } from './tokens/commands.ts';
import { addUsersGroup } from './users/commands.ts';

export function assembleProgram(): AdminCommand {
  const program = new AdminCommand('npm run -s admin --')
    .description(
      'Administers API keys, users and verification tokens, and checks the mirrored attestations.',
    )
    .option('--firebase-project <id>', 'the Firebase project (default: GOOGLE_CLOUD_PROJECT)')
    .option('--yes', 'change a Firebase project in production without confirmation')
    .option('--verbose', 'print the stack trace of a failure')
    .configureHelp({ helpWidth: 80, showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => currentRun().stdout.write(text),
      writeErr: (text) => currentRun().stderr.write(escapeLines(text)),
    })
    .showHelpAfterError('Add --help to see how to use the command.')
    .exitOverride();
  addAdminsGroup(program);
  addAttestationsGroup(program);
  addKeysGroup(program);
  addSigningKeysGroup(program);
  addSmokeCommand(program);
  addStatusGroup(program);
  addTokensGroup(program);
  addUsersGroup(program);
  return program;
}

/**
 * Runs the command that `argv` names, and prints a failure on standard error.
 *
 * @param deadlineMs how long to wait for Google, if not as long as usual
 * @returns the exit status
 */
export async function runProgram(
  program: Command,
  argv: readonly string[],
  streams: Pick<Run, 'stdout' | 'stderr'> = process,
  deadlineMs?: number,
): Promise<number> {
  const attempt = async (run: Run): Promise<number> => {
    try {
      await Promise.race([program.parseAsync(argv, { from: 'user' }), run.ended]);
      return run.exitStatus;
    } catch (error) {
      // Commander has already printed the help or what is wrong.
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
      return reportFailure(program, error);
    }
  };
  return await withRun(streams, attempt, deadlineMs);
}

/** Prints why the program failed. @returns the exit status */
export function reportFailure(program: Command, error: unknown): number {
  const { firebaseProject, verbose } = program.opts<GlobalOptions>();
  const failure = failureOf(error, firebaseProject);
  if (failure.message) note(failure.message);
  if (verbose) note(stacksOf(error).trimEnd());
  return failure.exitStatus ?? currentRun().failedStatus;
}

/** The stack traces of an error and of its causes. Other properties of an error may contain credentials. */
const stacksOf = (error: unknown): string =>
  error instanceof Error ? `${error.stack}\n${stacksOf(error.cause)}` : '';
