// The ports and addresses of the emulators and of `npm start`.

import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import firebaseConfig from '../../firebase.json' with { type: 'json' };

const { auth, functions, firestore } = firebaseConfig.emulators;
export const EMULATOR_PORTS = {
  auth: auth.port,
  functions: functions.port,
  firestore: firestore.port,
} as const;

/** The function's address in the emulator. */
export const EMULATED_ENDPOINT = `http://127.0.0.1:${functions.port}/demo-poh/us-central1/${ENDPOINT_NAME}`;

/** The emulators' project. firebase-tools calls no real project whose id begins with `demo-`. */
export const EMULATED_PROJECT = 'demo-poh';

/** The output folders of the console's build. */
export const CONSOLE_FOLDERS = {
  production: 'public/console',
  emulators: 'public/console-emulators',
} as const;

/** The port on which `npm start` serves the site, unless it is taken. */
export const SITE_PORT = 5002;

/** The port on which `npm start` serves the test chain, unless it is taken. */
export const CHAIN_PORT = 8899;
