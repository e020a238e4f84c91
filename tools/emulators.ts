// Runs a command with the Authentication, Functions and Firestore emulators:
//   npm run emulators -- COMMAND ...   exits with the command's status
//   npm run emulators                  runs only the emulators, until Ctrl-C
// With --silent before COMMAND, only firebase-debug.log gets the function's log and the emulators' messages.
// A signal to this script also ends the command and the emulators.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { Failure, runScript } from '../cli/terminal/failure.ts';
import { SIGNING_SECRET } from '../functions/src/signatures/sign.ts';
import { nameSdksForEmulator } from './build.ts';
import { DEMONSTRATION_SIGNING_KEY, pemOf } from './sandbox/demonstrationKey.ts';
import { EMULATED_PROJECT } from './sandbox/emulatorAddresses.ts';

const { resolve } = createRequire(import.meta.url);

/** The oldest version of Java that firebase-tools accepts. */
const JAVA_MAJOR_MIN = 21;
const JVM_FOLDERS = ['/usr/lib/jvm/*/bin', '/Library/Java/JavaVirtualMachines/*/Contents/Home/bin'];

const CACHE = 'FIREBASE_EMULATORS_PATH';
const DOWNLOADS = 'firebase-tools/lib/emulator/downloadableEmulatorInfo.json';
const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const GCLOUD_JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';

const FIREBASE = resolve('firebase-tools/lib/bin/firebase.js');
// Otherwise the Authentication emulator compiles every schema of Google's API when it starts, which takes ten seconds of CPU.
const LAZY_SCHEMAS = `
  import exegesis from '${pathToFileURL(createRequire(FIREBASE).resolve('exegesis'))}';
  const { compileApi } = exegesis;
  exegesis.compileApi = (document, options) =>
    compileApi(document, { ...options, lazyCompileValidationSchemas: true });
`;
const NODE_FLAGS = [
  // Otherwise V8 may wait forever for a compilation in the background when firebase-tools exits (nodejs/node#54918).
  '--no-concurrent-recompilation',
  `--import=data:text/javascript,${encodeURIComponent(LAZY_SCHEMAS)}`,
];

const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

async function main(): Promise<number> {
  const silent = process.argv[2] === '--silent';
  const javaFolder = findJavaFolder();
  const folder = mkdtempSync(join(tmpdir(), 'poh-'));
  // Other users may enter it, because a test serves the function as one of them.
  chmodSync(folder, 0o711);
  nameSdksForEmulator('functions/lib');
  const words = wordsFor(process.argv.slice(silent ? 3 : 2), silent ? 'SILENT' : 'QUIET');
  const child = spawn(process.execPath, [...NODE_FLAGS, FIREBASE, ...words], {
    stdio: 'inherit',
    // A separate process group, because firebase-tools does not forward signals to the command.
    detached: true,
    env: environmentIn(folder, javaFolder),
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
  rmSync(folder, { recursive: true, force: true });
  return exitStatusOf(status, endedBy ?? killedBy);
}

/** The command line of firebase-tools. */
export function wordsFor(command: readonly string[], verbosity: 'SILENT' | 'QUIET'): string[] {
  const emulators = ['--project', EMULATED_PROJECT, '--only', 'auth,functions,firestore'];
  if (command.length === 0) {
    console.error(
      'The emulators start empty. Use `npm start` to start them with the demonstration data.',
    );
    return ['emulators:start', ...emulators];
  }
  const script = `unset npm_config_offline; ${command.map(shellQuote).join(' ')}`;
  return ['emulators:exec', '--log-verbosity', verbosity, ...emulators, script];
}

/** That of the command, or what a shell reports if a signal ended it. */
export const exitStatusOf = (status: number | null, signal: NodeJS.Signals | null): number =>
  signal ? 128 + constants.signals[signal] : (status ?? 1);

/** @param folder for temporary files */
const environmentIn = (folder: string, javaFolder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${javaFolder}${delimiter}${process.env['PATH']}`,
  // Java's second compiler and its parallel garbage collection take more CPU than they save in a few minutes.
  JDK_JAVA_OPTIONS: `-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${process.env['JDK_JAVA_OPTIONS'] ?? ''}`,
  // Otherwise firebase-tools asks npm for the newest firebase-functions, for 10 seconds without a connection.
  npm_config_offline: 'true',
  // Otherwise firebase-tools waits 3 seconds for the connections of a server that lists the functions.
  FIREBASE_FUNCTIONS_DISCOVERY_OUTPUT_PATH: 'true',
  // Most commands and tests start many processes, which load the same modules.
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/node'),
  // Everything is local, so Google's libraries must not look for a metadata server.
  METADATA_SERVER_DETECTION: 'none',
  // With `https_proxy` in lower case, gRPC would connect to this machine through a proxy.
  no_grpc_proxy: '127.0.0.1',
  // All temporary files of the command are removed with this folder, which is named short for its sockets.
  TMPDIR: folder,
  ...cacheVariable(folder),
  // The demonstration signs its responses.
  [SIGNING_SECRET]: process.env[SIGNING_SECRET] ?? pemOf(DEMONSTRATION_SIGNING_KEY),
});

function sendToGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The whole group has already exited.
  }
}

const foldersOnPath = (env: NodeJS.ProcessEnv): string[] => (env['PATH'] ?? '').split(delimiter);

/**
 * Finds Java in `JAVA_HOME`, the PATH and the operating system's standard folders. firebase-tools itself tries only the
 * `java` on the PATH.
 *
 * @returns the folder of the first `java` that is new enough
 * @throws Failure if there is none
 */
export function findJavaFolder(env: NodeJS.ProcessEnv = process.env): string {
  const folders = [
    join(env['JAVA_HOME'] ?? '', 'bin'),
    ...foldersOnPath(env),
    ...JVM_FOLDERS.flatMap((pattern) => globSync(pattern).sort()),
  ];
  const found = folders.find((folder) => javaMajor(folder) >= JAVA_MAJOR_MIN);
  if (found !== undefined) return found;
  throw new Failure(
    `The Firestore emulator needs Java ${JAVA_MAJOR_MIN} or later, which was not found. Install it ` +
      `(Debian: apt-get install openjdk-${JAVA_MAJOR_MIN}-jre-headless, macOS: brew install openjdk) ` +
      'or set JAVA_HOME to its folder.',
  );
}

/** The major version of the `java` in a folder, e.g. 21 for `openjdk version "21.0.7"`; 0 if there is none. */
function javaMajor(folder: string): number {
  const { stderr } = spawnSync(join(folder, 'java'), ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}

/**
 * Makes firebase-tools use the JAR of the Google Cloud CLI, if there is one, instead of downloading its own. It runs
 * `java -jar`, which needs a main class in the manifest, and that JAR names none. So writes a launcher that does, as the
 * JAR that firebase-tools has cached.
 *
 * @param folder the launcher's folder
 */
function cacheVariable(folder: string): Record<string, string> {
  const { firestore } = JSON.parse(readFileSync(resolve(DOWNLOADS), 'utf8'));
  const name: string = firestore.downloadPathRelativeToCacheDir;
  const cache = process.env[CACHE] || join(homedir(), '.cache/firebase/emulators');
  const gclouds = foldersOnPath(process.env).map((each) => join(each, 'gcloud'));
  const jar = gclouds
    .filter((file) => existsSync(file))
    .map((file) => join(realpathSync(file), '../..', GCLOUD_JAR))
    .find((file) => existsSync(file));
  if (jar === undefined || existsSync(join(cache, name))) return {};
  symlinkSync(jar, join(folder, 'emulator.jar'));
  const manifest = `Manifest-Version: 1.0\r\nMain-Class: ${MAIN_CLASS}\r\nClass-Path: emulator.jar\r\n`;
  const launcher = zipSync({ 'META-INF/MANIFEST.MF': strToU8(manifest) });
  writeFileSync(join(folder, name), launcher);
  return { [CACHE]: folder };
}

if (import.meta.main) await runScript(main);
