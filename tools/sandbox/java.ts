// Finds Java for the Firestore emulator. firebase-tools itself tries only the `java` on the PATH.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '../../admin/terminal/failure.ts';

/** The oldest version that firebase-tools accepts. */
const JAVA_MAJOR_MIN = 21;
const JVM_FOLDERS = ['/usr/lib/jvm/*/bin', '/Library/Java/JavaVirtualMachines/*/Contents/Home/bin'];

/**
 * Searches `JAVA_HOME`, the PATH and the platform's standard folders.
 *
 * @returns the folder of the first `java` that is new enough
 * @throws Failure if there is none
 */
export function findJavaFolder(env: NodeJS.ProcessEnv = process.env): string {
  const folders = [
    join(env['JAVA_HOME'] ?? '', 'bin'),
    ...(env['PATH'] ?? '').split(delimiter),
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
