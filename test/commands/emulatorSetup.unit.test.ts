import { expect, test } from 'vitest';
import { findFirestoreJar } from '../../sandbox/firestoreJar.ts';
import { findJavaFolder } from '../../sandbox/java.ts';

test('a Java is found where PATH has none', () => {
  expect(findJavaFolder({ PATH: '/nowhere' })).toContain('jvm');
});

test('a JAR that is named is taken as it is', () => {
  expect(findFirestoreJar({ FIRESTORE_EMULATOR_BINARY_PATH: '/x.jar' })).toBe('/x.jar');
});

test('without a cached or a gcloud JAR it is left to firebase-tools', () => {
  const env = { PATH: '/nowhere', FIREBASE_EMULATORS_PATH: '/nowhere' };
  expect(findFirestoreJar(env)).toBeUndefined();
});
