// Finds a Java that can run the Firestore emulator.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '../terminal/failure.ts';

export const JAVA_MAJOR_MIN = 21;

const JVM_FOLDERS = [
  '/usr/lib/jvm/*/bin',
  '/usr/java/*/bin',
  '/opt/java/*/bin',
  '/Library/Java/JavaVirtualMachines/*/Contents/Home/bin',
  'C:/Program Files/Java/*/bin',
  'C:/Program Files/Eclipse Adoptium/*/bin',
];

/** @returns the major version in the output of `java -version`, e.g. 21, or undefined */
export function parseJavaMajor(output: string): number | undefined {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(output) ?? [];
  // Up to Java 8 the version was written 1.8.
  const major = first === '1' ? second : first;
  return major === undefined ? undefined : Number(major);
}

/**
 * Finds the first folder with a Java that is new enough: `JAVA_HOME`, the PATH, then the
 * platform's standard folders.
 *
 * @returns the folder of the `java` command
 * @throws Failure when there is none
 */
export function findJavaFolder(env: NodeJS.ProcessEnv = process.env): string {
  const javaHome = env['JAVA_HOME'];
  const folders = [
    ...(javaHome ? [join(javaHome, 'bin')] : []),
    ...(env['PATH'] ?? '').split(delimiter),
    ...JVM_FOLDERS.flatMap((pattern) => globSync(pattern).sort()),
  ];
  const found = folders.find((folder) => (javaMajor(folder) ?? 0) >= JAVA_MAJOR_MIN);
  if (found !== undefined) return found;
  throw new Failure(
    `The Firestore emulator needs Java ${JAVA_MAJOR_MIN} or later and none was found: install one ` +
      `(Debian: apt-get install openjdk-${JAVA_MAJOR_MIN}-jre-headless, macOS: brew install openjdk) ` +
      'or set JAVA_HOME to it.',
  );
}

function javaMajor(folder: string): number | undefined {
  const { stderr } = spawnSync(join(folder, 'java'), ['-version'], { encoding: 'utf8' });
  return parseJavaMajor(stderr ?? '');
}
