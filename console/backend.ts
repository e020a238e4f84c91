// Opens Firebase for an area. Hosting serves the settings, so one build works for every project.

import { initializeApp } from 'firebase/app';
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

export interface Backend {
  readonly auth: Auth;
  readonly db: Firestore;
  /** The Google Cloud project. */
  readonly projectId: string;
  /** For direct calls to Authentication's REST API. */
  readonly apiKey: string;
  readonly accountsUrl: string;
  /** Whether the page can redirect to Google. The emulators have no domain for it. */
  readonly hasGoogle: boolean;
}

const SETTINGS = '/__/firebase/init.json';

interface Settings {
  readonly apiKey: string;
  readonly projectId: string;
  /** Hosting always serves it; the emulators do not. */
  readonly authDomain?: string;
}

/** @throws Error when the settings are unusable */
function parseSettings(value: unknown): Settings {
  const { apiKey, projectId, authDomain, ...rest } = value as Partial<
    Record<keyof Settings, unknown>
  >;
  if (typeof apiKey !== 'string' || typeof projectId !== 'string')
    throw new Error('the settings are unusable');
  return { ...rest, apiKey, projectId, ...(typeof authDomain === 'string' && { authDomain }) };
}

const readSettings = async (): Promise<Settings> =>
  parseSettings(await (await fetch(SETTINGS)).json());

/**
 * Opens Authentication and Firestore of the project whose Hosting serves this page.
 *
 * The session ends when its tab is closed, so no sign-in remains on the machine. It is valid in only
 * one area.
 *
 * @throws Error when Hosting does not serve usable settings
 */
export async function openBackend(area: Area): Promise<Backend> {
  // The SDK would log whole requests.
  setLogLevel('silent');
  const settings = await withTimeout(readSettings());
  // The SDK keeps the session under the app's name.
  const app = initializeApp(settings, area);
  // Without a popup resolver, the SDK loads nothing from Google's script hosts.
  const auth = initializeAuth(app, { persistence: browserSessionPersistence });
  const db = getFirestore(app);
  if (EMULATORS) {
    connectAuthEmulator(auth, EMULATORS.auth, { disableWarnings: true });
    connectFirestoreEmulator(db, EMULATORS.firestore.host, EMULATORS.firestore.port);
  }
  return {
    auth,
    db,
    projectId: settings.projectId,
    apiKey: settings.apiKey,
    hasGoogle: settings.authDomain !== undefined,
    accountsUrl: `${EMULATORS ? `${EMULATORS.auth}/` : 'https://'}identitytoolkit.googleapis.com/v1/accounts`,
  };
}
