// Starts the Authentication, Functions and Firestore emulators around a command:
//   npm run emulators -- COMMAND ...   runs it and exits with its status
//   npm run emulators                  keeps them up until Ctrl-C
// However it ends, no process that it started is left behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { emulatorPorts } from '../sandbox/emulatorAddresses.ts';
import { findFirestoreJar } from '../sandbox/firestoreJar.ts';
import { requireFreePorts } from '../sandbox/freePort.ts';
import { findJavaFolder } from '../sandbox/java.ts';
import { endWithParent, superviseGroup } from '../sandbox/processGroup.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../sandbox/signingKey.ts';
import { runScript } from '../terminal/runScript.ts';

const PROJECT = 'demo-poh';

const OPTIONS = {
  /** Says that there is no data: for a COMMAND of the person's own. */
  'warn-empty': { type: 'boolean', default: false },
  /** Keeps the function's log lines and the emulators' remarks to firebase-debug.log. */
  silent: { type: 'boolean', default: false },
} as const;

const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function firebaseArguments(command: readonly string[], silent: boolean): string[] {
  const common = ['--project', PROJECT, '--only', 'auth,functions,firestore'];
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
  await requireFreePorts(emulatorPorts());
  const jar = findFirestoreJar();
  const madeJar = jar === process.env['FIRESTORE_EMULATOR_BINARY_PATH'] ? undefined : jar;
  const firebase = createRequire(import.meta.url).resolve('firebase-tools/lib/bin/firebase.js');
  if (warnEmpty) {
    console.error(
      'The emulators start without data. `npm start` runs them with the demonstration data in them.',
    );
  }

  const child = spawn(process.execPath, [firebase, ...firebaseArguments(command, silent)], {
    stdio: 'inherit',
    // A group of its own, so that one signal reaches all of it, and what it leaves behind is found.
    detached: true,
    env: {
      ...process.env,
      PATH: `${javaFolder}${delimiter}${process.env['PATH']}`,
      // Everything is local: no credentials are looked for on Google's metadata server.
      METADATA_SERVER_DETECTION: 'none',
      ...(jar && { FIRESTORE_EMULATOR_BINARY_PATH: jar }),
      // The demonstration signs its responses.
      ANSWER_SIGNING_KEY: process.env['ANSWER_SIGNING_KEY'] ?? pemOf(DEMONSTRATION_SIGNING_KEY),
    },
  });
  const group = superviseGroup(child);
  endWithParent(() => group.stop());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => group.stop());
  }
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  group.sweep();
  if (madeJar) rmSync(dirname(madeJar), { recursive: true, force: true });
  return status ?? 128 + constants.signals[signal ?? 'SIGTERM'];
}

await runScript(main);
