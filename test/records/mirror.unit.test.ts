// Checks that no product code writes the mirror. Only the sandbox's seeds and tests do.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = '{cli,console,deploy,functions,records,site,tools}/**/*.{ts,tsx}';
const PRODUCT = globSync(FILES, { cwd: ROOT, exclude: ['tools/sandbox/**'] });

const filesWith = (pattern: RegExp): string[] =>
  PRODUCT.filter((file) => pattern.test(readFileSync(ROOT + file, 'utf8'))).sort();

/** The code that opens the collection. */
const MIRROR =
  /COLLECTIONS\.attestations|attestations\b.* = COLLECTIONS|(collection|doc)\(.*\battestations|= ['"`]attestations/;
const WRITE = /\.(add|set|create|update|delete|batch|bulkWriter|runTransaction|recursiveDelete)\(/;
/** Writes over REST, which can name any document. */
const REST_WRITE = /:commit\b|:batchWrite\b|google-auth-library/;

test('the code that opens the mirror only reads it', () => {
  const opening = filesWith(MIRROR);
  expect(opening).toEqual(['cli/audit/mirror.ts', 'functions/src/lookup.ts']);
  const writing = filesWith(WRITE);
  expect(opening.filter((file) => writing.includes(file))).toEqual([]);
  // It writes the keys of the deployment's own checks.
  expect(filesWith(REST_WRITE)).toEqual(['deploy/keys.ts']);
});
