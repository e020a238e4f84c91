// Opens Firebase for a page: the settings come from Hosting, so one build serves every project.

import { initializeApp } from 'firebase/app';
import {
  type Auth,
  browserSessionPersistence,
  connectAuthEmulator,
  initializeAuth,
} from 'firebase/auth';
import { connectFirestoreEmulator, type Firestore, getFirestore } from 'firebase/firestore/lite';
import * as z from 'zod';

/** Filled in by the build: the emulators' hosts, or null in the build for production. */
declare const EMULATORS: {
  readonly auth: string;
  readonly firestore: { readonly host: string; readonly port: number };
} | null;

export interface Backend {
  readonly auth: Auth;
  readonly db: Firestore;
  /** For a page's own calls of Authentication's REST surface. */
  readonly apiKey: string;
  readonly accountsUrl: string;
}

const SETTINGS = '/__/firebase/init.json';
const settingsSchema = z.looseObject({ apiKey: z.string(), projectId: z.string() });

/**
 * Opens Authentication and Firestore of the project whose Hosting serves this page.
 *
 * A sign-in lasts as long as the tab, so that nothing of it stays on the machine.
 *
 * @throws Error when Hosting gives no usable settings
 */
export async function openBackend(): Promise<Backend> {
  const response = await fetch(SETTINGS);
  const { apiKey, ...rest } = settingsSchema.parse(await response.json());
  const app = initializeApp({ apiKey, ...rest });
  // Without a resolver of popups: nothing is loaded from Google's script hosts.
  const auth = initializeAuth(app, { persistence: browserSessionPersistence });
  const db = getFirestore(app);
  let accounts = 'https:/';
  if (EMULATORS) {
    accounts = EMULATORS.auth;
    connectAuthEmulator(auth, EMULATORS.auth, { disableWarnings: true });
    connectFirestoreEmulator(db, EMULATORS.firestore.host, EMULATORS.firestore.port);
  }
  return {
    auth,
    db,
    apiKey,
    accountsUrl: `${accounts}/identitytoolkit.googleapis.com/v1/accounts`,
  };
}
