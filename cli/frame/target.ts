// Chooses and opens the Firebase project that a command works on, and confirms changes in production.

import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { deleteApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { connect, failureOf, isRefusal } from './firebaseProject.ts';
import { note } from './output.ts';
import type { ReadableAccounts, ReadableDatabase } from './reads.ts';
import { currentRun } from './run.ts';
import { readActor, UNKNOWN_ACTOR } from './userAccounts.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  readonly firebaseProject?: string;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

const EMULATED_PROJECT = 'demo-poh';
/** firebase-tools uses projects whose id begins like this only in the emulators. */
const EMULATED_PREFIX = 'demo-';
const EMULATOR_VARIABLES = ['FIRESTORE_EMULATOR_HOST', 'FIREBASE_AUTH_EMULATOR_HOST'] as const;
const BOTH_VARIABLES = EMULATOR_VARIABLES.join(' and ');

/** What can write, which only `change` hands out. */
export interface Writes {
  readonly db: Firestore;
  readonly auth: Auth;
  /** Who makes the change, for the record: an account's e-mail address, or `cli`. */
  readonly actor: string;
}

/** An open Firebase project. */
export interface Target extends AsyncDisposable {
  /** The id of the Firebase project. */
  readonly project: string;
  readonly isEmulated: boolean;
  readonly db: ReadableDatabase;
  readonly auth: ReadableAccounts;
  /** The database's clock, in milliseconds; this machine's clock may be wrong. */
  readonly nowMs: () => number;
  /** Formats a command for the same project, for the user to copy. */
  readonly commandLine: (words: string) => string;
  /**
   * Makes a change, in production after a confirmation, unless --yes was given. If its outcome stays unknown,
   * because of a lost reply, Ctrl-C or the deadline, the command ends with a message that says so.
   *
   * @param what the change as an imperative, as in "Revoke the key 1234"
   * @param next what to do if the outcome is not known, in sentences
   * @throws Failure unless the answer is yes
   */
  readonly change: <T>(
    what: string,
    body: (writes: Writes) => Promise<T>,
    next?: string,
  ) => Promise<T>;
}

/**
 * @returns the project's id, and the address of the Firestore emulator, which is undefined in production
 * @throws Failure when no project is named, or it does not exist where the command would work, or when
 *   the accounts and the database would be in different places
 */
export function chooseProject(
  { firebaseProject }: GlobalOptions,
  env: NodeJS.ProcessEnv,
): { readonly id: string; readonly emulator: string | undefined } {
  const [set, ...others] = EMULATOR_VARIABLES.filter((name) => env[name]);
  if (set !== undefined && others.length === 0) {
    throw usageFailure(
      `Only ${set} is set. Unset it to work in production, or set ${BOTH_VARIABLES} to work on the emulators.`,
    );
  }
  const emulator = set && env[set];
  // An empty option is probably an unset shell variable; falling back would change the wrong project.
  const id = firebaseProject ?? (env['GOOGLE_CLOUD_PROJECT'] || (emulator ? EMULATED_PROJECT : ''));
  if (id === '') {
    throw usageFailure(
      'Name the Firebase project with --firebase-project or GOOGLE_CLOUD_PROJECT, ' +
        `or set ${BOTH_VARIABLES} to work on the emulators.`,
    );
  }
  if (id.startsWith(EMULATED_PREFIX) === (emulator !== undefined)) return { id, emulator };
  const [where, change] = emulator ? ['is not in', 'Unset'] : ['exists only in', 'Set'];
  throw usageFailure(
    `The Firebase project ${id} ${where} the emulators, whose projects begin with ${EMULATED_PREFIX}. ` +
      `${change} ${BOTH_VARIABLES} to work on it, or name another project.`,
  );
}

/** A command whose action works on the Firebase project that the command line or the environment names. */
export class AdminCommand extends Command {
  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(name);
  }

  onTarget<Given extends unknown[]>(
    body: (target: Target, ...given: Given) => Promise<void>,
  ): this {
    return this.action(async (...given: Given) => {
      await using target = await openTarget(this);
      await body(target, ...given);
    });
  }

  example(words: string): this {
    return this.addHelpText('after', `\nExample:\n  npm run -s admin -- ${words}`);
  }
}

async function openTarget(command: Command): Promise<Target> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { id, emulator } = chooseProject(options, process.env);
  note(
    `Firebase project ${id} in ${emulator ? `the Firestore emulator at ${emulator}` : 'production'}`,
  );
  const run = currentRun();
  run.wait();
  const { app, db, nowMs: openedAtMs } = await connect(id, emulator !== undefined);
  const auth = getAuth(app);
  const reachedAt = performance.now();
  const chosen = options.firebaseProject ? ` --firebase-project ${id}` : '';
  return {
    project: id,
    isEmulated: emulator !== undefined,
    db,
    auth,
    nowMs: () => openedAtMs + performance.now() - reachedAt,
    commandLine: (words) => `npm run -s admin -- ${words}${chosen}`,
    change: async (what, body, next = 'Run the command again.') => {
      if (!emulator && !options.yes) await confirm(`${what} in production (${id})?`);
      const actor = emulator ? UNKNOWN_ACTOR : await readActor();
      run.known = `It is not known whether this was done: ${what}. ${next}`;
      try {
        const result = await body({ db, auth, actor });
        run.known = `This was done: ${what}.`;
        return result;
      } catch (cause) {
        if (cause instanceof Failure) throw cause;
        const outcome = isRefusal(cause) ? `This was not done: ${what}.` : run.known;
        throw new Failure(`${failureOf(cause, id).message} ${outcome}`, { cause });
      }
    },
    [Symbol.asyncDispose]: () => deleteApp(app),
  };
}

/**
 * Asks on standard error, since standard output may be piped elsewhere.
 *
 * @throws Failure unless the answer is yes
 */
export async function confirm(
  question: string,
  input: Readable & { isTTY?: boolean } = process.stdin,
  output: Writable & { isTTY?: boolean } = process.stderr,
): Promise<void> {
  if (!input.isTTY || !output.isTTY) {
    throw usageFailure(
      'A confirmation needs a terminal. Add --yes to change a Firebase project in production without one.',
    );
  }
  const terminal = createInterface({ input, output });
  const ended = new AbortController();
  // At the end of the input, and at Ctrl-C.
  terminal.once('close', () => ended.abort());
  const answered = terminal
    .question(`${question} [y/N] `, { signal: ended.signal })
    .catch(() => '')
    .finally(() => terminal.close());
  const run = currentRun();
  const answer = await run.pause(answered);
  // An earlier change of the same command may have been done.
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(run.known);
}
