import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { findFirestoreJar, launcherManifest } from '../../sandbox/firestoreJar.ts';
import { freePort, requireFreePorts } from '../../sandbox/freePort.ts';
import { findJavaFolder, parseJavaMajor } from '../../sandbox/java.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_401"', 8],
  ['openjdk version "25" 2025-09-16', 25],
  ['command not found', undefined],
])('the Java version in %s is %s', (output, major) => {
  expect(parseJavaMajor(output)).toBe(major);
});

test('a Java is found where PATH has none', () => {
  expect(findJavaFolder({ PATH: '/nowhere' })).toContain('jvm');
});

test('a JAR that is named is taken as it is', () => {
  expect(findFirestoreJar({ FIRESTORE_EMULATOR_BINARY_PATH: '/x.jar' })).toBe('/x.jar');
});

test('without a cached or a gcloud JAR it is left to firebase-tools', () => {
  expect(
    findFirestoreJar({ PATH: '/nowhere', FIREBASE_EMULATORS_PATH: '/nowhere' }),
  ).toBeUndefined();
});

test('a manifest line of over 72 bytes is folded, and unfolds to itself', () => {
  const url = `file:///${'long/'.repeat(60)}emulator.jar`;
  const manifest = launcherManifest(url);
  expect(Math.max(...manifest.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(70);
  expect(manifest.replaceAll('\r\n ', '')).toContain(`Class-Path: ${url}\r\n`);
});

describe('ports', () => {
  test('a free one is no trouble', async () => {
    await expect(
      requireFreePorts([{ name: 'x', port: await freePort() }]),
    ).resolves.toBeUndefined();
  });

  test('a taken one is named, with a way to find its holder', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await expect(requireFreePorts([{ name: 'auth', port }])).rejects.toThrow(
      `Port ${port}, which the auth emulator needs, is taken: find the process with \`lsof -i :${port}\``,
    );
    server.close();
  });
});
