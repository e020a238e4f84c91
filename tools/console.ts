// Builds the admin area and the identity-proof area into public/console, which Firebase Hosting serves.
// With --emulators, builds into public/console-emulators, which only `npm start` and tests serve.

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { deployedAddresses, readOperator } from './deployment.ts';
import {
  CONSOLE_FOLDERS,
  EMULATED_PROJECT,
  EMULATOR_PORTS,
  SITE_PORT,
} from './sandbox/emulatorAddresses.ts';

const ROOT = new URL('../', import.meta.url);
const CONSOLE = new URL('console/', ROOT);
/** The areas: the file that opens each, and the title of its page. */
const AREAS = {
  admin: ['admin/ApiKeys.tsx', 'PoH API Keys'],
  identity: ['identity/Proof.tsx', 'Identity proof'],
} as const;

const isForEmulators = process.argv.includes('--emulators');
const folder = isForEmulators ? CONSOLE_FOLDERS.emulators : CONSOLE_FOLDERS.production;
const target = new URL(`${folder}/`, ROOT);

/** What the scripts are built with. They declare the types. */
const SETTINGS = isForEmulators
  ? {
      EMULATORS: {
        auth: `http://127.0.0.1:${EMULATOR_PORTS.auth}`,
        firestore: { host: '127.0.0.1', port: EMULATOR_PORTS.firestore },
      },
      SITE: `http://127.0.0.1:${SITE_PORT}`,
      OPERATOR: {
        name: 'Example Operator',
        help: 'mailto:help@example.com',
        privacy: 'https://example.com/privacy',
      },
    }
  : { EMULATORS: null, SITE: deployedAddresses().site ?? '', OPERATOR: readOperator() };

if (!isForEmulators && readOperator().name === '') {
  console.warn(
    'The pages ask for a password, and do not say who runs the service. Set operator in deploy/settings.',
  );
}

const source = (name: string): string => fileURLToPath(new URL(name, CONSOLE));

function write(name: string, content: string): void {
  const file = new URL(name, target);
  mkdirSync(new URL('./', file), { recursive: true });
  writeFileSync(file, content);
}

rmSync(target, { recursive: true, force: true });
const { metafile } = await build({
  // One file per area, because few people use both. The browser then needs no second round of requests.
  entryPoints: [
    ...Object.entries(AREAS).map(([area, [file]]) => ({ in: source(file), out: area })),
    source('console.css'),
    source('mark.svg'),
  ],
  outdir: fileURLToPath(target),
  // Names contain a hash of the content, so browsers may cache the files forever.
  entryNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  loader: { '.svg': 'copy' },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  // The licences require it. Only a reader of the script sees this line.
  banner: { js: '/*! The licences of the packages in this file: /licenses.txt */' },
  define: Object.fromEntries(
    Object.entries(SETTINGS).map(([name, value]) => [name, JSON.stringify(value)]),
  ),
  logLevel: 'warning',
  metafile: true,
});

const files = Object.keys(metafile.outputs).map((file) => basename(file));

/** The licences of all packages whose code is in the scripts. */
function licensesOf({ outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = inputs.flatMap(
    (file) => /^.*node_modules\/(@[^/]+\/)?[^/]+\//.exec(file)?.[0] ?? [],
  );
  const packages = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
    const [own] = globSync(`${folder}LICEN[CS]E*`);
    // Google publishes Firebase's packages under the same licence, without its text.
    const isGoogles = license === 'Apache-2.0' && /^(@firebase\/|firebase$)/.test(name);
    const file = isGoogles ? 'node_modules/@google-cloud/functions-framework/LICENSE' : own;
    if (file === undefined) throw new Error(`${name} has no licence that could be published`);
    return { title: `${name} ${version} (${license})`, text: readFileSync(file, 'utf8') };
  });
  return [...Map.groupBy(packages, ({ text }) => text)]
    .map(([text, of]) => `${of.map(({ title }) => title).join('\n')}\n\n${text}`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const SERVICE = 'Proof of Humanity';

/** A page whose assets have their hashed names. */
const page = (title: string, text: string, script = ''): string =>
  readFileSync(source('page.html'), 'utf8')
    .replace('NAME', title === SERVICE ? title : `${title} · ${SERVICE}`)
    .replace('TITLE', title)
    .replace('TEXT', text)
    .replace('SCRIPT', script)
    .replaceAll(/(?<=\/assets\/)(\w+)(\.\w+)/g, (_, name: string, extension: string) => {
      const file = files.find((each) => each.startsWith(`${name}-`) && each.endsWith(extension));
      if (file === undefined) throw new Error(`${name}${extension} was not built`);
      return file;
    });

const LOADING =
  '<p class="lead">Loading… If this stays, check your network, then <a href=".">try again</a>.</p><noscript>This page needs JavaScript.</noscript>';
const SETTINGS_LINK = '<link rel="preload" href="/__/firebase/init.json" as="fetch" crossorigin>';
for (const [area, [, title]] of Object.entries(AREAS)) {
  const script = `${SETTINGS_LINK}<script type="module" src="/assets/${area}.js"></script>`;
  write(`${area}/index.html`, page(title, LOADING, script));
}
const AREA_LINKS = `<p class="lead"><a href="/identity/">Identity proof</a>: generate a token that proves to a platform that you are a verified human.</p>
      <p class="lead"><a href="/admin/">Admin area</a>: manage API keys with an admin’s account.</p>`;
write('index.html', page(SERVICE, AREA_LINKS));
write('404.html', page('This page does not exist', AREA_LINKS));
write('licenses.txt', licensesOf(metafile));
if (isForEmulators) {
  // In production, Hosting itself serves the project's settings at this path.
  const settings = { projectId: EMULATED_PROJECT, apiKey: 'emulated', appId: 'emulated' };
  write('__/firebase/init.json', JSON.stringify(settings));
}
