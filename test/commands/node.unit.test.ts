// Compares the places that name a version of Node with `engines` in package.json, from which the build, the deployment
// and the workflows take it.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const [, major] = /^\^(\d+)\./.exec(manifest.engines.node) ?? [];

test.each([
  ['deploy/image/Dockerfile', /^FROM node:(\d+)/gm],
  ['docs/deploy.md', /runs on Node (\d+)/g],
  ['README.md', /need Node (\d+)/g],
  ['package.json', /"(?:node-linux-\w+|@types\/node)": "(\d+)/g],
])('%s has the same major version of Node as engines', (file, pattern) => {
  const named = readFileSync(file, 'utf8').matchAll(pattern);
  expect(new Set([...named].map(([, version]) => version))).toEqual(new Set([major]));
});
