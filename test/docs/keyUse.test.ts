// The questions that docs/operations.md puts to a saved log, put to the lines that lookups have logged.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { openEmulators } from '../../sandbox/openEmulators.ts';
import { serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { requestEntries } from '../support/log.ts';
import { randomWallet, seedKey } from '../support/seed.ts';

const { db } = openEmulators();
const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const QUESTIONS = [...text.matchAll(/^ *jq -r '[^']*' lookups\.json$/gm)].map(
  ([command]) => command,
);

const folder = mkdtempSync(join(tmpdir(), 'key-use-'));
afterAll(() => rmSync(folder, { recursive: true }));

let old: string;
let successor: string;

/** The nth second of the saved log. */
const at = (second: number): string =>
  new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString();

beforeAll(async () => {
  const served = await serveFunction();
  [old, successor] = await Promise.all([seedKey(), seedKey()]);
  const wallet = `?wallet=${randomWallet()}`;
  const lookUp = (key: string, target = wallet) => send(served.url, { key, target });
  await lookUp(old);
  await lookUp(old);
  await lookUp(old, `?token=${randomUUID()}`);
  await lookUp(successor);
  const record = db.collection(COLLECTIONS.apiKeys).doc(hashApiKey(old));
  await record.update({ active: false });
  await lookUp(old);
  await lookUp(`key-${randomUUID()}`);
  await served.stop();
  // As `gcloud logging read --format json` prints entries, the latest first.
  const saved = requestEntries(served.output())
    .map((jsonPayload, second) => ({ timestamp: at(second), jsonPayload }))
    .toReversed();
  writeFileSync(join(folder, 'lookups.json'), JSON.stringify(saved));
});

/** The rows that a question's command prints. */
const run = (question: string | undefined): string[][] =>
  execFileSync('bash', ['-euo', 'pipefail', '-c', question ?? 'false'], {
    cwd: folder,
    env: { ...process.env, KEY_ID: keyId(hashApiKey(old)) },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .toSorted();

test('which keys were admitted, how often, and when last', () => {
  expect(run(QUESTIONS[0])).toEqual(
    [
      [keyId(hashApiKey(old)), 'Test DAO', '3', at(2)],
      [keyId(hashApiKey(successor)), 'Test DAO', '1', at(3)],
    ].toSorted(),
  );
});

test('which revoked keys are still tried', () => {
  expect(run(QUESTIONS[1])).toEqual([[keyId(hashApiKey(old)), 'Test DAO', '1', at(4)]]);
});

test('the requests of one key', () => {
  expect(run(QUESTIONS[2])).toEqual([
    ['token', 'token_not_found', '1', at(2), at(2)],
    ['wallet', 'ok', '2', at(0), at(1)],
    ['wallet', 'unauthorized', '1', at(4), at(4)],
  ]);
});

test('no question is left', () => expect(QUESTIONS).toHaveLength(3));
