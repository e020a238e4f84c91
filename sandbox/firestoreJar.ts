// Finds the Firestore emulator's JAR, so that no network is needed where the Google Cloud CLI has it.

import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';

export const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
export const LAUNCHER = 'launcher.jar';
const GCLOUD_JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';

/** @returns the JAR's path, or undefined where firebase-tools has to download it */
export function findFirestoreJar(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['FIRESTORE_EMULATOR_BINARY_PATH'];
  return named || [cachedJar(env), ...gcloudJars(env)].find((jar) => existsSync(jar));
}

/** Where firebase-tools keeps its download of the version that it wants. */
function cachedJar(env: NodeJS.ProcessEnv): string {
  const require = createRequire(import.meta.url);
  const table = require.resolve('firebase-tools/lib/emulator/downloadableEmulatorInfo.json');
  const { firestore } = JSON.parse(readFileSync(table, 'utf8'));
  const folder = env['FIREBASE_EMULATORS_PATH'] || join(homedir(), '.cache/firebase/emulators');
  return join(folder, firestore.downloadPathRelativeToCacheDir);
}

const gcloudJars = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'gcloud'))
    .filter((file) => existsSync(file))
    .map((file) => join(dirname(dirname(realpathSync(file))), GCLOUD_JAR));

/**
 * Makes the Google Cloud CLI's copy startable with `java -jar`, as firebase-tools starts it: by itself
 * it names no main class.
 *
 * @returns the folder of the launcher, or undefined where firebase-tools finds a JAR of its own
 */
export function writeLauncherJar(): string | undefined {
  const jar = findFirestoreJar();
  if (!jar?.endsWith(GCLOUD_JAR)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'firestore-launcher-'));
  symlinkSync(jar, join(folder, 'emulator.jar'));
  const manifest = `Manifest-Version: 1.0\r\nMain-Class: ${MAIN_CLASS}\r\nClass-Path: emulator.jar\r\n`;
  writeFileSync(join(folder, LAUNCHER), zipSync({ 'META-INF/MANIFEST.MF': strToU8(manifest) }));
  return folder;
}
