import { expect, test } from 'vitest';
import { findFirestoreJar } from '../../tools/sandbox/firestoreJar.ts';
import { findJavaFolder } from '../../tools/sandbox/java.ts';

test('finds Java outside the PATH', () => {
  expect(findJavaFolder({ PATH: '/nowhere' })).toContain('jvm');
});

test('uses the JAR that the environment names', () => {
  expect(findFirestoreJar({ FIRESTORE_EMULATOR_BINARY_PATH: '/x.jar' })).toBe('/x.jar');
});

test('leaves the download to firebase-tools if there is no cached or gcloud JAR', () => {
  const env = { PATH: '/nowhere', FIREBASE_EMULATORS_PATH: '/nowhere' };
  expect(findFirestoreJar(env)).toBeUndefined();
});
