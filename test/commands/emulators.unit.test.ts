// Tests what `npm run emulators` finds on a machine.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findJavaFolder } from '../../tools/emulators.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();

/** Writes a `java` that prints this version. @returns its folder */
function writeJava(version: string): string {
  const bin = join(folder, version, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\necho 'openjdk version "${version}"' >&2\n`;
  writeFileSync(join(bin, 'java'), script, { mode: 0o755 });
  return bin;
}

test('Java is taken from JAVA_HOME, then from the PATH, if it is new enough', () => {
  const [old, recent, later] = [writeJava('17.0.15'), writeJava('21.0.7'), writeJava('25')];
  const PATH = `${old}:${later}`;
  expect(findJavaFolder({ JAVA_HOME: join(recent, '..'), PATH })).toBe(recent);
  expect(findJavaFolder({ JAVA_HOME: join(old, '..'), PATH })).toBe(later);
});
