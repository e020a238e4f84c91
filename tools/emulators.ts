// Runs a command with the Authentication, Functions and Firestore emulators:
//   npm run emulators -- COMMAND ...   exits with the command's status
//   npm run emulators                  runs only the emulators, until Ctrl-C
// A signal to this script also ends the command and the emulators.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { runScript } from '../admin/terminal/runScript.ts';
import { SIGNING_SECRET } from '../functions/src/signatures/sign.ts';
import { nameSdksForEmulator } from './functionPackage.ts';
import { EMULATED_PROJECT } from './sandbox/emulatorAddresses.ts';
import { LAUNCHER, writeLauncherJar } from './sandbox/firestoreJar.ts';
import { findJavaFolder } from './sandbox/java.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from './sandbox/signingKey.ts';

const OPTIONS = {
  /** Warns that the emulators are empty. For commands that users run themselves. */
  'warn-empty': { type: 'boolean', default: false },
  /** Writes the function's log and the emulators' messages only to firebase-debug.log. */
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

/** Separates this script's options, which are first, from the command. */
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
      'The emulators start empty. Use `npm start` to start them with the demonstration data.',
    );
  }

  const child = spawn(process.execPath, [firebase, ...firebaseArguments(command, silent)], {
    stdio: 'inherit',
    // A separate process group, because firebase-tools does not forward signals to the command.
    detached: true,
    env: {
      ...process.env,
      PATH: `${javaFolder}${delimiter}${process.env['PATH']}`,
      // Everything is local, so Google's libraries must not look for a metadata server.
      METADATA_SERVER_DETECTION: 'none',
      ...(launcherFolder && { FIRESTORE_EMULATOR_BINARY_PATH: join(launcherFolder, LAUNCHER) }),
      // The demonstration signs its responses.
      [SIGNING_SECRET]: process.env[SIGNING_SECRET] ?? pemOf(DEMONSTRATION_SIGNING_KEY),
    },
  });
  let endedBy: NodeJS.Signals | undefined;
  const end = (signal: NodeJS.Signals): void => {
    // Forward only the first signal, because firebase-tools exits on a second one without stopping its
    // emulators. A terminal's Ctrl-C arrives twice, because npm forwards it.
    if (endedBy === undefined) sendToGroup(child, 'SIGTERM');
    endedBy ??= signal;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  const [status, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  // If firebase-tools cannot start an emulator, its function discovery process keeps running.
  sendToGroup(child, 'SIGKILL');
  if (launcherFolder) rmSync(launcherFolder, { recursive: true, force: true });
  const signal = endedBy ?? killedBy;
  return signal ? 128 + constants.signals[signal] : (status ?? 1);
}

function sendToGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The whole group has already exited.
  }
}

await runScript(main);
