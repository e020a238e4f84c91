// Opens Firebase for an area. Hosting serves the settings, so one build works for every project.

import { type FirebaseOptions, initializeApp } from 'firebase/app';
import {
  type Auth,
  browserSessionPersistence,
  connectAuthEmulator,
  initializeAuth,
} from 'firebase/auth';
import {
  connectFirestoreEmulator,
  type Firestore,
  getFirestore,
  setLogLevel,
} from 'firebase/firestore/lite';
import { withTimeout } from './problems.ts';

/** Set by the build: the emulators' hosts, or null for production. */
declare const EMULATORS: {
  readonly auth: string;
  readonly firestore: { readonly host: string; readonly port: number };
} | null;

export type Area = 'admin' | 'identity';

/** The settings of the project are in `auth.app.options`. */
export interface Backend {
  readonly auth: Auth;
  readonly db: Firestore;
}

/** For direct calls to Authentication's REST API. */
export const ACCOUNTS_URL = `${EMULATORS ? `${EMULATORS.auth}/` : 'https://'}identitytoolkit.googleapis.com/v1/accounts`;

/**
 * Opens Authentication and Firestore of the project whose Hosting serves this page.
 *
 * The session ends when its tab is closed, so no sign-in remains on the machine. It is valid in only
 * one area.
 *
 * @throws DOMException named SecurityError when the user blocks site data
 * @throws Error when Hosting does not serve usable settings
 */
export async function openBackend(area: Area): Promise<Backend> {
  try {
    for (const storage of [localStorage, sessionStorage]) storage.getItem('');
  } catch {
    // If the user blocks site data, a storage throws or is null, depending on the browser.
    throw new DOMException('the storage is blocked', 'SecurityError');
  }
  // The SDK would log whole requests.
  setLogLevel('silent');
  const response = fetch('/__/firebase/init.json').then((received) => received.json());
  const settings: FirebaseOptions = await withTimeout(response);
  if (!settings.apiKey) throw new Error('the settings are unusable');
  // The SDK keeps the session under the app's name.
  const app = initializeApp(settings, area);
  // Without a popup resolver, the SDK loads nothing from Google's script hosts.
  const auth = initializeAuth(app, { persistence: browserSessionPersistence });
  const db = getFirestore(app);
  if (EMULATORS) {
    connectAuthEmulator(auth, EMULATORS.auth, { disableWarnings: true });
    connectFirestoreEmulator(db, EMULATORS.firestore.host, EMULATORS.firestore.port);
  }
  return { auth, db };
}
