// The file that the platform loads: it loads the function.

import { join } from 'node:path';
import { loadBundled } from './codeCache.ts';

export const { pohAttestationsEndpoint } = loadBundled<typeof import('../index.ts')>(
  join(import.meta.dirname, 'lookup.cjs'),
);
