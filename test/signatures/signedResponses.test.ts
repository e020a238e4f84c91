// Tests signed responses over HTTP, saved as evidence and verified with the command of the clients' package.

import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openAccounts } from '../../functions/src/google/authentication.ts';
import { openFirestore } from '../../functions/src/google/firestore.ts';
import { openGoogleAccount } from '../../functions/src/google/serviceAccount.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
} from '../../tools/sandbox/demonstrationKey.ts';
import { serveFunction, startFunction } from '../../tools/sandbox/servedFunction.ts';
import { runAdmin, spawnAdmin } from '../cli/adminCommand.ts';
import { ENDPOINTS, servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { recordUsed } from '../support/usedValues.ts';

const folder = temporaryFolder();
const keySet = join(folder, 'keys.json');
const saved = join(folder, 'evidence.json');
writeFileSync(keySet, JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY)));
const key = await seedKey();
const wallet = await seedWallet({ attestationType: 0 });
const queries = {
  wallet: `wallet=${wallet}`,
  email: `email=${await seedAccount({ wallet })}&also=%C3%A9+~`,
  token: `token=${await seedToken(wallet)}`,
};

/** Saves the signed parts of a response as the clients store them. */
async function lookUpAndSave(url: string): Promise<void> {
  const response = await fetch(url, { headers: { 'X-PoH-API-Key': key } });
  const body = await response.text();
  const [requestId, signatureInput, signature] = [
    'X-Request-Id',
    'Signature-Input',
    'Signature',
  ].map((name) => response.headers.get(name));
  writeFileSync(saved, JSON.stringify({ url, body, requestId, signatureInput, signature }));
}

const run = promisify(execFile);
const verify = (keys: string) =>
  run(process.execPath, ['clients/typescript/verify.ts', 'verify', saved, '--keys', keys]).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ status: code, stdout, stderr }),
  );

describe.each(ENDPOINTS)('%s', (_, endpoint) => {
  test.each(['wallet', 'email', 'token'] as const)(
    'a lookup by %s can be verified',
    async (mode) => {
      const url = `${endpoint}?${queries[mode]}`;
      await lookUpAndSave(url);
      const { status, stdout } = await verify(keySet);
      expect(stdout).toMatch(/^valid: signed 20\S+Z by \S{43}\n/);
      expect(stdout).toContain(`\nrequested: ${url} (the signature covers only the query)\n`);
      expect(stdout).toContain('\nreturned: hasVerifiedHuman true, ');
      expect(status).toBe(0);
    },
  );
});

describe('the signing key', () => {
  test('is optional; without it responses are the same but unsigned', async () => {
    const unsigned = await serveFunction({ RESPONSE_SIGNING_KEY: '' });
    const target = `?${queries.wallet}`;
    const [plain, signed] = await Promise.all([
      send(unsigned.url, { key, target }),
      send(servedUrl, { key, target }),
    ]);
    await unsigned.stop();
    expect(plain.text).toBe(signed.text);
    expect(Object.keys(plain.headers)).toEqual(
      Object.keys(signed.headers).filter((name) => !/^(content-digest|signature.*)$/.test(name)),
    );
  });

  const OTHER_TYPE = pemOf(generateKeyPairSync('x25519').privateKey);
  const NOT_ED25519 =
    'RESPONSE_SIGNING_KEY is not an Ed25519 private key in PKCS #8 PEM format. Create';

  test.each([
    ['not a key', 'not-a-key-but-a-secret', {}, NOT_ED25519],
    ['of another type', OTHER_TYPE, {}, NOT_ED25519],
    [
      'not published, if the database is not emulated',
      pemOf(DEMONSTRATION_SIGNING_KEY),
      { FIRESTORE_EMULATOR_HOST: '' },
      'which is not an active key of functions/src/signatures/publicKeys.json',
    ],
  ])('that is %s prevents the start and is not logged', async (_, pem, env, message) => {
    recordUsed(pem);
    const started = await startFunction({ RESPONSE_SIGNING_KEY: pem, ...env });
    await expect(started.listening).rejects.toThrow(/exited with status 1/);
    expect(started.output()).toContain(message);
    for (const line of pem.trim().split('\n')) expect(started.output()).not.toContain(line);
  });
});

test('a failure to sign is an internal error, never an unsigned result', async () => {
  const causes: unknown[] = [];
  const account = openGoogleAccount(process.env);
  const endpoint = createEndpoint({
    firestore: openFirestore(account, process.env['FIRESTORE_EMULATOR_HOST']),
    accounts: openAccounts(account, process.env['FIREBASE_AUTH_EMULATOR_HOST']),
    now: Date.now,
    log: ({ cause }) => causes.push(cause),
    sign: () => {
      throw new RangeError('no entropy');
    },
  });
  const target = `/?${queries.wallet}`;
  const request = { method: 'GET', target, apiKey: key, requestId: 'id' };
  const { status, headers, body } = await endpoint(request);
  expect(status).toBe(500);
  expect(JSON.parse(body)).toMatchObject({ code: 'internal' });
  expect(headers).not.toHaveProperty('Signature');
  expect(causes).toEqual([expect.objectContaining({ name: 'RangeError' })]);
});

describe('signing-keys', () => {
  test('a key is created and retired; only standard output gets the private key', async () => {
    const file = join(folder, 'set.json');
    writeFileSync(file, '{"keys":[]}');
    const run = (...words: string[]) => runAdmin(['signing-keys', ...words, '--keys', file]);
    const created = await spawnAdmin(['signing-keys', 'create', '--keys', file]);
    const { stdout: pem } = created;
    expect(created).toMatchObject({ status: 0, stderr: expect.stringContaining('If that fails') });
    expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n[^-]+-----END PRIVATE KEY-----\n$/);
    const stored = () => JSON.parse(readFileSync(file, 'utf8')).keys;
    const [{ kid: id }] = stored();
    expect(readFileSync(file, 'utf8')).not.toContain(pem.split('\n')[1]?.slice(20));

    const served = await serveFunction({ RESPONSE_SIGNING_KEY: pem });
    await lookUpAndSave(`${served.url}?${queries.wallet}`);
    await served.stop();
    expect((await verify(file)).stdout).toContain(` by ${id}\n`);
    await run('create');
    const [, { kid: next }] = stored();
    const retired = await run('retire', id);
    expect(retired).toMatchObject({ status: 0, stdout: '' });
    expect(retired.stderr).not.toContain('No other key is active');
    expect((await run('retire', next)).stderr).toContain('No other key is active');
    expect(await verify(file)).toMatchObject({ status: 0, stderr: '' });
    expect(stored()[0].exp).toBeGreaterThanOrEqual(stored()[0].nbf);
    expect((await run('retire', 'x')).stderr).toContain('has the kid x');
  });

  test('a leaked key is marked with the earliest time of its leak', async () => {
    const file = join(folder, 'leaked.json');
    writeFileSync(file, JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY)));
    const stored = () => JSON.parse(readFileSync(file, 'utf8')).keys[0];
    const mark = (since: number) =>
      runAdmin([
        ...['signing-keys', 'compromise', stored().kid, '--keys', file],
        ...['--since', new Date(since * 1_000).toISOString()],
      ]);
    const leakedAt = Math.floor(Date.now() / 1_000) - 60;
    const later = await mark(leakedAt + 120);
    expect(later).toMatchObject({ status: 2, stderr: expect.stringContaining('in the future') });
    const { status, stderr } = await mark(leakedAt + 1);
    expect(stderr).toContain('Deploy Hosting immediately');
    expect(stderr).toContain('No other key is active');
    expect(status).toBe(0);
    expect((await mark(leakedAt)).status).toBe(0);
    // A later time would make refused responses valid again.
    expect((await mark(leakedAt + 2)).stderr).toContain('Nothing was changed');
    const revoked = { revoked_at: leakedAt, reason: 'compromised' };
    expect(stored()).toMatchObject({ exp: leakedAt, revoked });
  });

  test('no id begins like an option', async () => {
    const file = join(folder, 'many.json');
    writeFileSync(file, '{"keys":[]}');
    for (let made = 0; made < 300; made += 1) {
      await runAdmin(['signing-keys', 'create', '--keys', file]);
    }
    const { keys } = JSON.parse(readFileSync(file, 'utf8'));
    expect(keys.length).toBe(300);
    expect(keys.filter(({ kid }: { kid: string }) => kid.startsWith('-'))).toEqual([]);
  });

  test('if a private key cannot be printed, it says so and how to undo the creation', async () => {
    const file = join(folder, 'lost.json');
    writeFileSync(file, '{"keys":[]}');
    const create = `'${process.execPath}' cli/main.ts signing-keys create --keys '${file}' > /dev/full`;
    const { status, stderr } = spawnSync('bash', ['-c', create], { encoding: 'utf8' });
    const id = JSON.parse(readFileSync(file, 'utf8')).keys[0].kid;
    expect(stderr).toContain(
      `The private key could not be printed and is lost. Undo this with \`signing-keys retire ${id}\`, then create another key.`,
    );
    expect(status).toBe(1);
  });

  test.each([
    ['a missing file', ['signing-keys', 'retire', 'x', '--keys', '/nowhere']],
    ['a file that is not a set of keys', ['signing-keys', 'list', '--keys', 'package.json']],
  ])('%s is a usage error', async (_, words) => {
    expect(await runAdmin(words)).toMatchObject({ status: 2, stdout: '' });
  });
});
