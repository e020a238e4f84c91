// Owns which Firebase project a command works on, and asking before a production one is changed.

import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Firestore } from 'firebase-admin/firestore';
import { Failure, usageFailure } from './failure.ts';
import type { GlobalOptions } from './program.ts';

/** The project of the emulators where none is named; ids with this prefix exist nowhere else. */
const EMULATED_PROJECT = 'demo-poh';
const EMULATED_PREFIX = 'demo-';

export interface Project {
  readonly id: string;
  /** Address of the Firestore emulator; undefined in production. */
  readonly emulator: string | undefined;
}

export interface Target extends AsyncDisposable {
  readonly db: Firestore;
  readonly project: Project;
  /**
   * Asks before a change in production.
   *
   * @param change what is about to be done, as in "Revoke the key 1234"
   * @throws Failure when the answer is no, or when nobody can be asked
   */
  readonly confirm: (change: string) => Promise<void>;
  /** This tool's command line for the same project, for a person to copy. */
  readonly commandLine: (words: string) => string;
}

/** @throws Failure when no project is named, or one that cannot be in production */
export function chooseProject(options: GlobalOptions, env: NodeJS.ProcessEnv): Project {
  const emulator = env['FIRESTORE_EMULATOR_HOST'] || undefined;
  const named =
    options.firebaseProject || env['GOOGLE_CLOUD_PROJECT'] || env['GCLOUD_PROJECT'] || undefined;
  if (emulator) return { id: named ?? EMULATED_PROJECT, emulator };
  if (named === undefined) {
    throw usageFailure(
      'Name the Firebase project with --firebase-project or GOOGLE_CLOUD_PROJECT, ' +
        'or set FIRESTORE_EMULATOR_HOST to work on the emulators.',
    );
  }
  if (named.startsWith(EMULATED_PREFIX)) {
    throw usageFailure(
      `The project ${named} exists only in the emulators: set FIRESTORE_EMULATOR_HOST, ` +
        'or name another project with --firebase-project.',
    );
  }
  return { id: named, emulator };
}

/** Opens the project that the command line and the environment name, and says which one it is. */
export async function openTarget(command: Command): Promise<Target> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const project = chooseProject(options, process.env);
  console.error(
    project.emulator
      ? `Project ${project.id} in the Firestore emulator at ${project.emulator}`
      : `Project ${project.id} in production`,
  );
  // No credentials are looked for on Google's metadata server when everything is local.
  if (project.emulator) process.env['METADATA_SERVER_DETECTION'] ??= 'none';
  // Loaded late: help and usage errors need none of it.
  const { deleteApp, initializeApp } = await import('firebase-admin/app');
  const { getFirestore } = await import('firebase-admin/firestore');
  const app = initializeApp({ projectId: project.id });
  return {
    db: getFirestore(app),
    project,
    confirm: async (change) => {
      if (!project.emulator && !options.yes) await ask(`${change} in production (${project.id})?`);
    },
    commandLine: (words) =>
      `npm run -s admin -- ${words}${options.firebaseProject ? ` --firebase-project ${project.id}` : ''}`,
    [Symbol.asyncDispose]: () => deleteApp(app),
  };
}

async function ask(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageFailure('There is no terminal to ask at: add --yes to change a production project.');
  }
  // Standard output may be piped elsewhere, and must hold nothing but the result.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const leaving = new AbortController();
  terminal.once('SIGINT', () => leaving.abort());
  terminal.once('close', () => leaving.abort());
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal: leaving.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
