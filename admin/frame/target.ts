// Chooses and opens the Firebase project that a command works on, and confirms changes in production.

import type { Command } from 'commander';
import { deleteApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { readActor, UNKNOWN_ACTOR } from './accounts.ts';
import { connect, failureOf, isRefusal } from './google.ts';
import { confirm, requireTerminal } from './input.ts';
import { note } from './output.ts';
import { currentRun } from './run.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  readonly firebaseProject?: string;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

/** The default project of the emulators. */
const EMULATED_PROJECT = 'demo-poh';
/** firebase-tools uses projects whose id begins like this only in the emulators. */
const EMULATED_PREFIX = 'demo-';
/** The form of a project's id; an old id may begin with an organization's domain, as in example.com:app. */
const PROJECT_ID = /^(?:[a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
/** The emulators accept longer ids too. */
const EMULATED_ID = /^[a-z][a-z0-9-]*$/;
const EMULATOR_VARIABLES = ['FIRESTORE_EMULATOR_HOST', 'FIREBASE_AUTH_EMULATOR_HOST'] as const;
const BOTH_VARIABLES = EMULATOR_VARIABLES.join(' and ');

/** A project to read from. */
export interface Target extends AsyncDisposable {
  /** Id of the Firebase project. */
  readonly project: string;
  /** Address of the Firestore emulator; undefined in production. */
  readonly emulator: string | undefined;
  readonly db: Firestore;
  /** The database's clock at the first read, in milliseconds; this machine's clock may be wrong. */
  readonly openedAtMs: number;
  /** The database's clock now. */
  readonly nowMs: () => number;
  /** Formats a command for the same project, for the user to copy. */
  readonly commandLine: (words: string) => string;
  readonly accounts: () => Auth;
}

/** A project to change. */
export interface ChangeTarget extends Target {
  /**
   * Asks for confirmation of a change in production, unless --yes was given.
   *
   * @param change the change as an imperative, as in "Revoke the key 1234"
   * @throws Failure unless the answer is yes
   */
  readonly confirm: (change: string) => Promise<void>;
  /**
   * Makes a change, after a confirmation. If its outcome stays unknown, because of a lost reply, Ctrl-C or a
   * timeout, the command ends with a message that says so.
   *
   * @param what the change as an imperative
   * @param next what to do if the outcome is not known, in sentences
   * @param asks whether to ask for confirmation; not if the command may have nothing to do
   */
  readonly change: <T>(
    what: string,
    body: () => Promise<T>,
    options?: { readonly next?: string; readonly asks?: boolean },
  ) => Promise<T>;
  /** Who makes the change, for the record: an account's e-mail address, or `cli`. */
  readonly actor: string;
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
    const missing = EMULATOR_VARIABLES.find((name) => name !== set);
    throw usageFailure(
      `${set} is set, but ${missing} is not. Unset ${set} to work in production, or set both to work on the emulators.`,
    );
  }
  const emulator = set && env[set];
  // The value is probably an unset shell variable; falling back would change the wrong project.
  if (firebaseProject === '') {
    throw usageFailure(
      '--firebase-project is empty. Give the id of the project, or leave the option out.',
    );
  }
  const named = firebaseProject || env['GOOGLE_CLOUD_PROJECT'] || env['GCLOUD_PROJECT'];
  if (!named && !emulator) {
    throw usageFailure(
      'Name the Firebase project with --firebase-project or GOOGLE_CLOUD_PROJECT, ' +
        `or set ${BOTH_VARIABLES} to work on the emulators.`,
    );
  }
  const id = named || EMULATED_PROJECT;
  if (!(emulator ? EMULATED_ID : PROJECT_ID).test(id)) {
    throw usageFailure(
      'The id of a Firebase project is 6 to 30 lower-case letters, digits and hyphens. ' +
        '`gcloud projects list` shows it. Name it with --firebase-project or GOOGLE_CLOUD_PROJECT.',
    );
  }
  if (id.startsWith(EMULATED_PREFIX) === (emulator !== undefined)) return { id, emulator };
  throw usageFailure(
    emulator
      ? `The Firebase project ${id} is not one of the emulators, whose ids begin with ${EMULATED_PREFIX}. ` +
          `Unset ${BOTH_VARIABLES} to work on it, or name another project.`
      : `The Firebase project ${id} exists only in the emulators. Set ${BOTH_VARIABLES}, ` +
          'or name another project with --firebase-project.',
  );
}

/** Opens the project that the command line or the environment names, for reading. */
export async function openTarget(command: Command): Promise<Target> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { id, emulator } = chooseProject(options, process.env);
  note(
    `Firebase project ${id} in ${emulator ? `the Firestore emulator at ${emulator}` : 'production'}`,
  );
  currentRun().wait();
  const { app, db, nowMs: openedAtMs } = await connect(id, emulator !== undefined);
  const reachedAt = performance.now();
  const chosen = options.firebaseProject ? ` --firebase-project ${id}` : '';
  return {
    project: id,
    emulator,
    db,
    openedAtMs,
    nowMs: () => openedAtMs + performance.now() - reachedAt,
    commandLine: (words) => `npm run -s admin -- ${words}${chosen}`,
    accounts: () => getAuth(app),
    [Symbol.asyncDispose]: () => deleteApp(app),
  };
}

/** @param apply whether to open the project for changes */
export const openFor = (
  apply: boolean | undefined,
  command: Command,
): Promise<Target & Partial<ChangeTarget>> => (apply ? openToChange(command) : openTarget(command));

/** Opens the project that the command line or the environment names, for changes. */
export async function openToChange(command: Command): Promise<ChangeTarget> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const mustConfirm = !chooseProject(options, process.env).emulator && !options.yes;
  if (mustConfirm) requireTerminal();
  const target = await openTarget(command);
  const { project, emulator } = target;
  const run = currentRun();
  const ask = async (change: string): Promise<void> => {
    if (mustConfirm) await run.pause(confirm(`${change} in production (${project})?`));
    run.known = 'It is not known how much was changed. Run the command again.';
  };
  return {
    ...target,
    actor: emulator ? UNKNOWN_ACTOR : await readActor(),
    confirm: ask,
    change: async (what, body, { next = 'Run the command again.', asks = true } = {}) => {
      if (asks) await ask(what);
      run.known = `It is not known whether this was done: ${what}. ${next}`;
      try {
        const result = await body();
        run.known = `This was done: ${what}.`;
        return result;
      } catch (cause) {
        if (cause instanceof Failure) throw cause;
        const outcome = isRefusal(cause) ? `This was not done: ${what}.` : run.known;
        throw new Failure(`${failureOf(cause, project).message} ${outcome}`, { cause });
      }
    },
  };
}
