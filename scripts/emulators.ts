// Starts the Authentication, Functions and Firestore emulators around a command:
//   npm run emulators -- COMMAND ...   runs it and exits with its status
//   npm run emulators                  keeps them up until Ctrl-C

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { runScript } from '../terminal/runScript.ts';
import { emulatorPorts } from '../testbed/emulatorAddresses.ts';
import { findFirestoreJar } from '../testbed/firestoreJar.ts';
import { requireFreePorts } from '../testbed/freePort.ts';
import { findJavaFolder } from '../testbed/java.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from '../testbed/signingKey.ts';

const PROJECT = 'demo-poh';

const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function firebaseArguments(command: readonly string[]): string[] {
  const common = ['--project', PROJECT, '--only', 'auth,functions,firestore'];
  if (command.length === 0) return ['emulators:start', ...common];
  return [
    'emulators:exec',
    ...common,
    '--log-verbosity',
    'QUIET',
    command.map(shellQuote).join(' '),
  ];
}

async function main(): Promise<number> {
  const javaFolder = findJavaFolder();
  await requireFreePorts(emulatorPorts());
  const jar = findFirestoreJar();
  const madeJar = jar === process.env['FIRESTORE_EMULATOR_BINARY_PATH'] ? undefined : jar;
  const firebase = createRequire(import.meta.url).resolve('firebase-tools/lib/bin/firebase.js');

  const child = spawn(process.execPath, [firebase, ...firebaseArguments(process.argv.slice(2))], {
    stdio: 'inherit',
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
  // The terminal sends Ctrl-C to the whole group: firebase-tools stops the emulators, and this
  // process stays until it has.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (madeJar) rmSync(dirname(madeJar), { recursive: true, force: true });
  return status ?? 128 + constants.signals[signal ?? 'SIGTERM'];
}

await runScript(main);
