// Finds the Firestore emulator's JAR. A copy from the Google Cloud CLI makes the download unnecessary.

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

const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
export const LAUNCHER = 'launcher.jar';
const GCLOUD_JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';

/** @returns the JAR's path, or undefined if firebase-tools has to download it */
export function findFirestoreJar(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['FIRESTORE_EMULATOR_BINARY_PATH'];
  return named || [cachedJar(env), ...gcloudJars(env)].find((jar) => existsSync(jar));
}

/** The path at which firebase-tools stores the version that it downloads. */
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
 * Writes a launcher for the Google Cloud CLI's JAR. firebase-tools runs `java -jar`, which needs a main
 * class in the manifest, and this JAR names none.
 *
 * @returns the launcher's folder, or undefined if no launcher is needed
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
