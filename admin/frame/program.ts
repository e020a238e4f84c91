// What all commands share: global options, help, failures and exit statuses.

import { inspect } from 'node:util';
import { Command, CommanderError, type HelpContext, type Option } from 'commander';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { credentialFailure } from './credentials.ts';
import { note } from './output.ts';
import { currentRun } from './run.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  readonly firebaseProject?: string;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

const HELP = 'help';

/** Commander's command, with failures that suggest a correction. */
class AdminCommand extends Command {
  readonly #required: Option[] = [];

  override createCommand(name?: string): Command {
    return new AdminCommand(name);
  }

  /** Treats a missing subcommand as a usage error, not as a request for help. */
  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context !== 'object' || !context.error) super.help();
    throw missingCommand(this);
  }

  /**
   * Leaves required options to `checkOptions`. Commander checks them before it reports unknown
   * options, and so reports a mistyped option as missing.
   */
  override addOption(option: Option): this {
    if (option.mandatory) this.#required.push(option.makeOptionMandatory(false));
    return super.addOption(option);
  }

  /** @throws Failure when a required option is missing, or an option was read as the value of another */
  checkOptions(): void {
    for (const option of this.options) {
      const value: unknown = this.getOptionValue(option.attributeName());
      if (option.required && typeof value === 'string' && value.startsWith('--')) {
        throw usageFailure(`Option '${option.flags}' argument missing.`);
      }
    }
    const missing = this.#required.find(
      (option) => this.getOptionValue(option.attributeName()) === undefined,
    );
    if (missing) throw usageFailure(`Required option '${missing.flags}' not specified.`);
  }
}

function missingCommand({ commands }: Command): Failure {
  const names = commands.map((command) => command.name()).filter((name) => name !== HELP);
  return usageFailure(`Name a command (${names.join(', ')}), or add --help.`);
}

/** Adds a help command for nested commands (`help keys revoke`), since commander's supports only one level. */
function addHelpCommand(program: Command): void {
  program
    .command(`${HELP} [command...]`)
    .description('show the help of a command')
    .action((names: readonly string[]) => {
      let found = program;
      for (const name of names) {
        const next = found.commands.find((command) => command.name() === name);
        if (!next) throw missingCommand(found);
        found = next;
      }
      found.help();
    });
}

/** Creates the program without its groups of commands; each group adds itself. */
export function createProgram(): Command {
  const program = new AdminCommand('npm run -s admin --')
    .description(
      'Administers API keys, users and verification tokens, and checks and repairs the mirrored attestations.',
    )
    .option('--firebase-project <id>', 'the Firebase project (default: GOOGLE_CLOUD_PROJECT)')
    .option('--yes', 'change a production project without confirmation')
    .option('--verbose', 'print the stack trace of a failure')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => currentRun().stdout.write(text),
      outputError: () => undefined,
    })
    .helpCommand(false)
    .hook('preAction', (root, command) => {
      for (const one of [root, command]) if (one instanceof AdminCommand) one.checkOptions();
    })
    .exitOverride();
  addHelpCommand(program);
  return program;
}

/**
 * Runs the command that `argv` names, and prints a failure on standard error.
 *
 * @returns the exit status
 */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    return reportFailure(program, error);
  }
  return currentRun().exitStatus;
}

/** Prints why the program failed. @returns the exit status */
export function reportFailure(program: Command, error: unknown): number {
  const { firebaseProject, verbose } = program.opts<GlobalOptions>();
  const failure = failureOf(error, firebaseProject);
  if (failure.message) note(failure.message);
  if (verbose) note(inspect(error));
  return failure.exitStatus;
}

/**
 * Describes any thrown value to the user in one sentence.
 *
 * @param project id of the Firebase project, if one was named
 */
export function failureOf(error: unknown, project = 'ID'): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError) return usageFailure(usageSentence(error.message));
  const refused = credentialFailure(error, project);
  if (refused) return refused;
  // Firestore's client puts the number of a gRPC status before its name.
  const text = error instanceof Error ? error.message : String(error);
  return new Failure(text.replace(/^\d+ (?=[A-Z_]+: )/, ''));
}

/** Turns commander's "error: unknown option '--x'\n(Did you mean --y?)" into one sentence. */
function usageSentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s*\(Did/, ' (did')
    .replace('. Expected', ', expected')
    .replace(/^(unknown option '[^']*')$/, '$1 (add --help to see the options)')
    .replace(/\.?$/, '.');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
