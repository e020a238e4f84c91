// Opens clients of the emulators, and never of a real project.

import { initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import { Failure } from '../../cli/terminal/failure.ts';
import { EMULATED_PROJECT } from './emulatorAddresses.ts';

let opened: { readonly db: Firestore; readonly auth: Auth } | undefined;

/**
 * Opens clients of the emulators; every call returns the same ones.
 *
 * @throws Failure if the environment does not name the emulators, because the SDKs would then use a real project
 */
export function openEmulators() {
  if (!process.env['FIRESTORE_EMULATOR_HOST'] || !process.env['FIREBASE_AUTH_EMULATOR_HOST']) {
    throw new Failure('The emulators are not running. Use `npm run emulators -- COMMAND`.');
  }
  if (!opened) {
    const app = initializeApp({ projectId: EMULATED_PROJECT });
    opened = { db: getFirestore(app), auth: getAuth(app) };
  }
  return opened;
}
