// Writes the package.json and package-lock.json that are deployed with the bundle. With them Google installs
// only functions-framework and its dependencies, in the versions of this repository's lockfile.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const ROOT = join(import.meta.dirname, '..');

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  engines: z.object({ node: z.string() }),
  dependencies: z.record(z.string(), z.string()),
});
const lockSchema = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.looseObject({ dev: z.boolean().optional(), optional: z.boolean().optional() }),
  ),
});

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

export function writeFunctionPackage(folder: string): void {
  const { name, version, engines, dependencies } = manifestSchema.parse(readJson('package.json'));
  const { lockfileVersion, packages } = lockSchema.parse(readJson('package-lock.json'));
  const manifest = { name, version, engines, dependencies };
  // The empty path is the root package, `dev` marks development dependencies, and the only optional
  // packages contain Node, which Google provides.
  const production = Object.entries(packages).filter(
    ([path, { dev, optional }]) => path !== '' && !dev && !optional,
  );
  write(join(folder, 'package.json'), {
    ...manifest,
    private: true,
    main: 'index.cjs',
  });
  write(join(folder, 'package-lock.json'), {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: {
      '': manifest,
      ...Object.fromEntries(production),
    },
  });
}

/** Adds the two packages without which the Functions emulator refuses a package.json. */
export function nameSdksForEmulator(folder: string): void {
  const file = join(folder, 'package.json');
  const manifest = manifestSchema.loose().parse(JSON.parse(readFileSync(file, 'utf8')));
  const devDependencies = { 'firebase-admin': '*', 'firebase-functions': '*' };
  write(file, { ...manifest, devDependencies });
}

function write(file: string, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
