// Builds the function. The folder to build into may be named; functions/lib is what is tested and deployed.

import { join } from 'node:path';
import { publicKeySetSchema } from '../signatures/publicKeySet.ts';
import publicKeys from '../signatures/publicKeys.json' with { type: 'json' };
import { bundle } from './bundle.ts';
import { writeFunctionPackage } from './functionPackage.ts';

// The function trusts the set that is built into it.
if (!publicKeySetSchema.safeParse(publicKeys).success) {
  console.error(
    'signatures/publicKeys.json is not a set of public keys: restore it, and change it with ' +
      '`npm run -s admin -- signing-keys`.',
  );
  process.exit(1);
}

const folder = process.argv[2] ?? 'functions/lib';
await bundle('functions/src/index.ts', join(folder, 'index.cjs'));
writeFunctionPackage(folder);
