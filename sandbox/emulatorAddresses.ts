// Where the emulators are: the ports of firebase.json, and the function's address.

import { readFileSync } from 'node:fs';

export interface NamedPort {
  readonly name: string;
  readonly port: number;
}

/** The emulators that are started, with their ports. */
export function emulatorPorts(): NamedPort[] {
  const { emulators } = JSON.parse(
    readFileSync(new URL('../firebase.json', import.meta.url), 'utf8'),
  );
  return ['auth', 'functions', 'firestore'].map((name) => ({ name, port: emulators[name].port }));
}

/** The function's address in the emulator. */
export function emulatedEndpoint(): string {
  const port = emulatorPorts().find(({ name }) => name === 'functions')?.port;
  return `http://127.0.0.1:${port}/demo-poh/us-central1/pohAttestationsEndpoint`;
}

/** The emulators' project; ids with this prefix exist nowhere else. */
export const EMULATED_PROJECT = 'demo-poh';

/** Where the pages of the console are built. */
export const CONSOLE_FOLDERS = {
  production: 'public/console',
  emulators: 'public/console-emulators',
} as const;

/** Where `npm start` serves the site, unless the port is taken. */
export const SITE_PORT = 5002;

/** Where `npm start` serves its stand-in for a node of the chain, unless the port is taken. */
export const CHAIN_PORT = 8899;
