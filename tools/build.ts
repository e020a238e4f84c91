// Builds the function. The argument is the output folder; the default is functions/lib, which is tested and
// deployed.

import { join } from 'node:path';
import { publicKeySetSchema } from '../functions/src/signatures/publicKeySet.ts';
import publicKeys from '../functions/src/signatures/publicKeys.json' with { type: 'json' };
import { bundle } from './bundle.ts';
import { writeFunctionPackage } from './functionPackage.ts';

// The function does not validate the set that is bundled with it.
if (!publicKeySetSchema.safeParse(publicKeys).success) {
  console.error(
    'functions/src/signatures/publicKeys.json is not a valid set of public keys. Restore it, and change it only ' +
      'with `npm run -s admin -- signing-keys`.',
  );
  process.exit(1);
}

const folder = process.argv[2] ?? 'functions/lib';
await bundle('functions/src/index.ts', join(folder, 'index.cjs'));
writeFunctionPackage(folder);
