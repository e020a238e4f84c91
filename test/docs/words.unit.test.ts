// "Operator" is who runs this service, and a "platform" asks it. Google's is called Google Cloud.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Without a name, "the platform" is read as either of them. */
const AMBIGUOUS = /\b(the|your|voting)\s+platforms?\b|\bpeople\s+who\s+run\b/gi;
const OTHERS = /package-lock\.json$|\.(png|svg)$|^test\/docs\/words\.unit\.test\.ts$/;

test('no text calls the operator or Google Cloud a platform', () => {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
  const found = files
    .filter((file) => !OTHERS.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(/\n\s*(\/\/|\*|#|>)?\s*/g, ' ');
      return [...text.matchAll(AMBIGUOUS)].map(([words]) => `${file}: ${words}`);
    });
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
