// Finds the Firestore emulator's JAR and makes it startable by firebase-tools.

import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { strToU8, zipSync } from 'fflate';

const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const GCLOUD_JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';
/** JAR specification: no manifest line is longer than 72 bytes, its end included. */
const MANIFEST_LINE_BYTES = 70;

/**
 * Finds the JAR that firebase-tools shall start.
 *
 * @returns its path for FIRESTORE_EMULATOR_BINARY_PATH, or undefined when firebase-tools finds
 *   or downloads its own
 */
export function findFirestoreJar(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['FIRESTORE_EMULATOR_BINARY_PATH'];
  if (named) return named;
  if (existsSync(cachedJar(env))) return undefined;
  const fromGcloud = gcloudJar(env);
  return fromGcloud === undefined ? undefined : writeLauncherJar(fromGcloud);
}

/** The JAR that can be started with `java -jar`, as far as one is on this machine already. */
export function localFirestoreJar(env: NodeJS.ProcessEnv = process.env): string {
  return env['FIRESTORE_EMULATOR_BINARY_PATH'] || cachedJar(env);
}

/** Where firebase-tools keeps its download of the version that it wants. */
function cachedJar(env: NodeJS.ProcessEnv): string {
  const require = createRequire(import.meta.url);
  const table = require.resolve('firebase-tools/lib/emulator/downloadableEmulatorInfo.json');
  const { firestore } = JSON.parse(readFileSync(table, 'utf8'));
  const folder = env['FIREBASE_EMULATORS_PATH'] || join(homedir(), '.cache/firebase/emulators');
  return join(folder, firestore.downloadPathRelativeToCacheDir);
}

function gcloudJar(env: NodeJS.ProcessEnv): string | undefined {
  const gcloud = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'gcloud'))
    .find((file) => existsSync(file));
  if (gcloud === undefined) return undefined;
  const jar = join(dirname(dirname(realpathSync(gcloud))), GCLOUD_JAR);
  return existsSync(jar) ? jar : undefined;
}

/**
 * firebase-tools starts the emulator with `java -jar`, and the Google Cloud CLI's copy names no
 * main class: a JAR of nothing but a manifest names it.
 */
function writeLauncherJar(jar: string): string {
  const launcher = join(mkdtempSync(join(tmpdir(), 'firestore-launcher-')), 'launcher.jar');
  const manifest = launcherManifest(pathToFileURL(jar).href);
  writeFileSync(launcher, zipSync({ 'META-INF/MANIFEST.MF': strToU8(manifest) }));
  return launcher;
}

/** @param classPath an ASCII file URL */
export function launcherManifest(classPath: string): string {
  const lines = ['Manifest-Version: 1.0', `Main-Class: ${MAIN_CLASS}`, `Class-Path: ${classPath}`];
  return lines.map((line) => `${foldManifestLine(line)}\r\n`).join('');
}

/** A longer line goes on in the next one, behind a space. */
function foldManifestLine(line: string): string {
  if (line.length <= MANIFEST_LINE_BYTES) return line;
  const rest = foldManifestLine(` ${line.slice(MANIFEST_LINE_BYTES)}`);
  return `${line.slice(0, MANIFEST_LINE_BYTES)}\r\n${rest}`;
}
