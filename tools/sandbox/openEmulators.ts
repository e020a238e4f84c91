// Opens clients of the emulators, and never of a real project.

import { type App, initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import { Failure } from '../../admin/terminal/failure.ts';
import { openGoogleAccount } from '../../functions/src/google/account.ts';
import { type Accounts, openAccounts } from '../../functions/src/google/authentication.ts';
import { type FirestoreReader, openFirestore } from '../../functions/src/google/firestore.ts';
import { EMULATED_PROJECT } from './emulatorAddresses.ts';

export interface OpenEmulators {
  readonly db: Firestore;
  readonly auth: Auth;
  /** The clients that the function itself reads with. */
  readonly firestore: FirestoreReader;
  readonly accounts: Accounts;
}

let opened: OpenEmulators | undefined;

/**
 * Opens clients of the emulators; every call returns the same ones.
 *
 * @throws Failure if the environment does not name the emulators, because the SDKs would then use a real project
 */
export function openEmulators(): OpenEmulators {
  if (!process.env['FIRESTORE_EMULATOR_HOST'] || !process.env['FIREBASE_AUTH_EMULATOR_HOST']) {
    throw new Failure('The emulators are not running. Use `npm run emulators -- COMMAND`.');
  }
  opened ??= clientsOf(initializeApp({ projectId: EMULATED_PROJECT }));
  return opened;
}

function clientsOf(app: App): OpenEmulators {
  const account = openGoogleAccount(process.env);
  return {
    db: getFirestore(app),
    auth: getAuth(app),
    firestore: openFirestore(account, process.env['FIRESTORE_EMULATOR_HOST']),
    accounts: openAccounts(account, process.env['FIREBASE_AUTH_EMULATOR_HOST']),
  };
}
