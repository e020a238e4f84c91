// Runs the first commands of docs/administration.md.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeDemonstration } from '../../tools/sandbox/demonstration.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FENCE = /```sh\n(?<code>(?:(?!```)[\s\S])*?admin -- keys create[\s\S]*?)\n```/;

test('the first commands run as documented', async () => {
  await writeDemonstration();
  const code =
    FENCE.exec(readFileSync(`${ROOT}docs/administration.md`, 'utf8'))?.groups?.['code'] ?? '';
  const { FIRESTORE_EMULATOR_HOST: _, FIREBASE_AUTH_EMULATOR_HOST: __, ...env } = process.env;
  const printed = execFileSync('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(printed).toMatch(/poh_[1-9A-HJ-NP-Za-km-z]{44,50}/);
  expect(printed).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(printed).toContain('attestations audit');
});
