// The ports and addresses of the emulators and of `npm start`.

import { readFileSync } from 'node:fs';

interface NamedPort {
  readonly name: string;
  readonly port: number;
}

/** Reads the ports of the emulators from firebase.json. */
export function emulatorPorts(): NamedPort[] {
  const { emulators } = JSON.parse(
    readFileSync(new URL('../../firebase.json', import.meta.url), 'utf8'),
  );
  return ['auth', 'functions', 'firestore'].map((name) => ({ name, port: emulators[name].port }));
}

/** The function's address in the emulator. */
export function emulatedEndpoint(): string {
  const port = emulatorPorts().find(({ name }) => name === 'functions')?.port;
  return `http://127.0.0.1:${port}/demo-poh/us-central1/pohAttestationsEndpoint`;
}

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
