// Builds the admin area and the identity-proof area into public/console, which Firebase Hosting
// serves; with --emulators into public/console-emulators, which only `npm start` and tests serve.

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { CONSOLE_FOLDERS, EMULATED_PROJECT, emulatorPorts } from '../sandbox/emulatorAddresses.ts';

const ROOT = new URL('../', import.meta.url);
const CONSOLE = new URL('console/', ROOT);
const AREAS = ['admin', 'identity'];

const isForEmulators = process.argv.includes('--emulators');
const folder = isForEmulators ? CONSOLE_FOLDERS.emulators : CONSOLE_FOLDERS.production;
const target = new URL(`${folder}/`, ROOT);

const portOf = (wanted: string): number | undefined =>
  emulatorPorts().find(({ name }) => name === wanted)?.port;
const emulators = {
  auth: `http://127.0.0.1:${portOf('auth')}`,
  firestore: { host: '127.0.0.1', port: portOf('firestore') },
};

rmSync(target, { recursive: true, force: true });
for (const area of AREAS) {
  mkdirSync(new URL(`${area}/`, target), { recursive: true });
  copyFileSync(new URL(`${area}/index.html`, CONSOLE), new URL(`${area}/index.html`, target));
}
for (const file of ['console.css', 'mark.svg']) {
  copyFileSync(new URL(file, CONSOLE), new URL(file, target));
}
if (isForEmulators) {
  // In production Hosting itself serves the project's settings there.
  mkdirSync(new URL('__/firebase/', target), { recursive: true });
  const settings = { projectId: EMULATED_PROJECT, apiKey: 'emulated', appId: 'emulated' };
  writeFileSync(new URL('__/firebase/init.json', target), JSON.stringify(settings));
}
await build({
  entryPoints: AREAS.map((area) => fileURLToPath(new URL(`${area}/main.tsx`, CONSOLE))),
  outdir: fileURLToPath(target),
  bundle: true,
  splitting: true,
  chunkNames: 'shared-[hash]',
  format: 'esm',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  define: { EMULATORS: isForEmulators ? JSON.stringify(emulators) : 'null' },
  logLevel: 'warning',
});
