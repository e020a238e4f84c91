// Starts the Authentication, Functions and Firestore emulators around a command:
//   npm run emulators -- COMMAND ...   runs it and exits with its status
//   npm run emulators                  keeps them up until Ctrl-C
// A signal that ends it also ends the command and the emulators.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { EMULATED_PROJECT } from '../sandbox/emulatorAddresses.ts';
import { LAUNCHER, writeLauncherJar } from '../sandbox/firestoreJar.ts';
import { findJavaFolder } from '../sandbox/java.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../sandbox/signingKey.ts';
import { SIGNING_SECRET } from '../signatures/sign.ts';
import { runScript } from '../terminal/runScript.ts';
import { nameSdksForEmulator } from './functionPackage.ts';

const OPTIONS = {
  /** Says that there is no data: for a COMMAND of the person's own. */
  'warn-empty': { type: 'boolean', default: false },
  /** Keeps the function's log lines and the emulators' remarks to firebase-debug.log. */
  silent: { type: 'boolean', default: false },
} as const;

const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function firebaseArguments(command: readonly string[], silent: boolean): string[] {
  const common = ['--project', EMULATED_PROJECT, '--only', 'auth,functions,firestore'];
  if (command.length === 0) return ['emulators:start', ...common];
  return [
    'emulators:exec',
    ...common,
    '--log-verbosity',
    silent ? 'SILENT' : 'QUIET',
    command.map(shellQuote).join(' '),
  ];
}

/** Splits our own options, which come first, from the command. */
function parseCommandLine(words: readonly string[]) {
  const first = words.findIndex((word) => !word.startsWith('--'));
  const own = first === -1 ? words : words.slice(0, first);
  const { values } = parseArgs({ args: [...own], options: OPTIONS });
  return { ...values, command: first === -1 ? [] : words.slice(first) };
}

async function main(): Promise<number> {
  const { command, silent, 'warn-empty': warnEmpty } = parseCommandLine(process.argv.slice(2));
  const javaFolder = findJavaFolder();
  const launcherFolder = writeLauncherJar();
  nameSdksForEmulator('functions/lib');
  const firebase = createRequire(import.meta.url).resolve('firebase-tools/lib/bin/firebase.js');
  if (warnEmpty) {
    console.error(
      'The emulators start without data. `npm start` runs them with the demonstration data in them.',
    );
  }

  const child = spawn(process.execPath, [firebase, ...firebaseArguments(command, silent)], {
    stdio: 'inherit',
    // A group of its own: firebase-tools does not pass a signal on to the command.
    detached: true,
    env: {
      ...process.env,
      PATH: `${javaFolder}${delimiter}${process.env['PATH']}`,
      // Everything is local: no credentials are looked for on Google's metadata server.
      METADATA_SERVER_DETECTION: 'none',
      ...(launcherFolder && { FIRESTORE_EMULATOR_BINARY_PATH: join(launcherFolder, LAUNCHER) }),
      // The demonstration signs its responses.
      [SIGNING_SECRET]: process.env[SIGNING_SECRET] ?? pemOf(DEMONSTRATION_SIGNING_KEY),
    },
  });
  let endedBy: NodeJS.Signals | undefined;
  const end = (signal: NodeJS.Signals): void => {
    // At a second signal firebase-tools would end without stopping its emulators, and npm passes a
    // terminal's Ctrl-C on, so that it arrives twice.
    if (endedBy === undefined) sendToGroup(child, 'SIGTERM');
    endedBy ??= signal;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  const [status, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  // When it cannot start an emulator, firebase-tools leaves a process that looks for functions.
  sendToGroup(child, 'SIGKILL');
  if (launcherFolder) rmSync(launcherFolder, { recursive: true, force: true });
  const signal = endedBy ?? killedBy;
  return signal ? 128 + constants.signals[signal] : (status ?? 1);
}

function sendToGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of the group have ended.
  }
}

await runScript(main);
