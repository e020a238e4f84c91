// Finds a Java that can run the Firestore emulator: firebase-tools itself only tries the PATH's.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from '../terminal/failure.ts';

/** The oldest that firebase-tools accepts. */
const JAVA_MAJOR_MIN = 21;
const JVM_FOLDERS = ['/usr/lib/jvm/*/bin', '/Library/Java/JavaVirtualMachines/*/Contents/Home/bin'];

/**
 * @returns the folder of the first `java` command that is new enough, of `JAVA_HOME`, the PATH and the
 *   platform's standard folders
 * @throws Failure when there is none
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
    `The Firestore emulator needs Java ${JAVA_MAJOR_MIN} or later and none was found: install one ` +
      `(Debian: apt-get install openjdk-${JAVA_MAJOR_MIN}-jre-headless, macOS: brew install openjdk) ` +
      'or set JAVA_HOME to it.',
  );
}

/** The major version of a folder's `java`, as in 'openjdk version "21.0.7"'; 0 where there is none. */
function javaMajor(folder: string): number {
  const { stderr } = spawnSync(join(folder, 'java'), ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
