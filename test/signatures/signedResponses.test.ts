// Tests signed responses over HTTP, saved with curl and verified with the command line.

import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGoogleAccount } from '../../functions/src/google/account.ts';
import { openAccounts } from '../../functions/src/google/authentication.ts';
import { openFirestore } from '../../functions/src/google/firestore.ts';
import { createEndpoint } from '../../functions/src/lookup.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import { serveFunction, startFunction } from '../../tools/sandbox/servedFunction.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
} from '../../tools/sandbox/signingKey.ts';
import { runAdmin, spawnAdmin } from '../admin/adminCommand.ts';
import { ENDPOINTS, servedUrl } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { recordUsed } from '../support/usedValues.ts';

const folder = temporaryFolder();
const keySet = join(folder, 'keys.json');
const saved = join(folder, 'saved.txt');
writeFileSync(keySet, JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY)));
const key = await seedKey();
const wallet = await seedWallet({ attestationType: 0 });
const queries = {
  wallet: `wallet=${wallet}`,
  email: `email=${await seedAccount({ wallet })}&also=%C3%A9+~`,
  token: `token=${await seedToken(wallet)}`,
};

/** Saves an exchange as described in docs/integrating.md. */
function save(url: string): void {
  const response = execFileSync('curl', ['-sS', '-i', '-H', `X-PoH-API-Key: ${key}`, url]);
  writeFileSync(saved, Buffer.concat([Buffer.from(`${url}\n`), response]));
}

/** Saves a response that the demonstration's key signed at a time, in milliseconds since the epoch. */
function saveSignedAt(at: number): void {
  const contentType = 'application/json; charset=utf-8';
  const [requestId, query, body] = ['id', 'token=x', '{}'];
  const sign = createSigner(parseSigningKey(pemOf(DEMONSTRATION_SIGNING_KEY)), () => at);
  const signed = sign({ status: 200, contentType, requestId, query, body });
  const fields = { 'Content-Type': contentType, 'X-Request-Id': requestId, ...signed };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(saved, `https://poh.example/?${query}\nHTTP/2 200\n${lines.join('')}\n${body}`);
}

const verify = () => runAdmin(['responses', 'verify', saved, '--keys', keySet]);

describe.each(ENDPOINTS)('%s', (_, endpoint) => {
  test.each(['wallet', 'email', 'token'] as const)(
    'a lookup by %s can be verified',
    async (mode) => {
      save(`${endpoint}?${queries[mode]}`);
      const { status, stdout } = await verify();
      expect(stdout).toMatch(
        new RegExp(
          `^valid: signed 20\\S+Z by \\S{43} for a lookup by ${mode}: hasVerifiedHuman true, `,
        ),
      );
      expect(stdout).toContain(
        `\nrequested: ${endpoint}?${queries[mode]} (the signature covers only the query, not the host)\n`,
      );
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
  test('a key is created, listed and retired; only standard output gets the private key', async () => {
    const file = join(folder, 'set.json');
    writeFileSync(file, '{"keys":[]}');
    const run = (...words: string[]) => runAdmin(['signing-keys', ...words, '--keys', file]);
    const created = await spawnAdmin(['signing-keys', 'create', '--keys', file]);
    const { stdout: pem } = created;
    expect(created).toMatchObject({ status: 0, stderr: expect.stringContaining('If that fails') });
    expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n[^-]+-----END PRIVATE KEY-----\n$/);
    const [{ id }] = JSON.parse((await run('list', '--json')).stdout);
    expect(readFileSync(file, 'utf8')).not.toContain(pem.split('\n')[1]?.slice(20));

    const served = await serveFunction({ RESPONSE_SIGNING_KEY: pem });
    save(`${served.url}?${queries.wallet}`);
    await served.stop();
    const verifyWith = () => runAdmin(['responses', 'verify', saved, '--keys', file]);
    expect((await verifyWith()).stdout).toContain(` by ${id} for `);
    await run('create');
    const [, { id: next }] = JSON.parse((await run('list', '--json')).stdout);
    const retired = await run('retire', id);
    expect(retired).toMatchObject({ status: 0, stdout: '' });
    expect(retired.stderr).not.toContain('No other key is active');
    expect((await run('retire', next)).stderr).toContain('No other key is active');
    expect(await verifyWith()).toMatchObject({ status: 0, stderr: '' });
    expect((await run('list')).stdout).toMatch(new RegExp(`20\\S+  retired 20\\S+  ${id}\n`));
    expect((await run('retire', 'x')).stderr).toContain('has the id x');
  });

  test('responses signed with a leaked key are valid only if they were kept since before the leak', async () => {
    const file = join(folder, 'leaked.json');
    writeFileSync(file, JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY)));
    const id = publicKeySetOf(DEMONSTRATION_SIGNING_KEY).keys[0]?.kid ?? '';
    const verifyWith = (...words: string[]) =>
      runAdmin(['responses', 'verify', saved, '--keys', file, ...words]);
    const mark = (since: number) =>
      runAdmin([
        ...['signing-keys', 'compromise', id, '--keys', file],
        ...['--since', new Date(since).toISOString()],
      ]);
    const leakedAt = async () =>
      JSON.parse((await runAdmin(['signing-keys', 'list', '--json', '--keys', file])).stdout)[0]
        .leakedAt;
    const signedAt = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
    saveSignedAt(signedAt);
    expect((await verifyWith()).status).toBe(0);

    const later = await mark(Date.now() + 60_000);
    expect(later).toMatchObject({ status: 2, stderr: expect.stringContaining('in the future') });
    const { status, stderr } = await mark(signedAt + 1_000);
    expect(stderr).toContain('Deploy Hosting immediately');
    expect(stderr).toContain('No other key is active');
    expect(status).toBe(0);
    const kept = new Date(signedAt).toISOString();
    expect((await verifyWith('--kept-since', kept)).stdout).toMatch(/^valid: /);
    // Before the signature nobody had the response.
    const times = [new Date().toISOString(), '2020-01-01'];
    for (const words of [[], ...times.map((time) => ['--kept-since', time])]) {
      expect(await verifyWith(...words), words.join(' ')).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^key_leaked: .* The option for it is --kept-since\./),
      });
    }

    expect((await mark(signedAt)).status).toBe(0);
    expect(await verifyWith('--kept-since', '2020-01-01')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^key_leaked: /),
    });
    // A later time would make refused responses valid again.
    expect((await mark(signedAt + 2_000)).stderr).toContain('Nothing was changed');
    expect(await leakedAt()).toBe(kept);
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
    const create = `'${process.execPath}' admin/main.ts signing-keys create --keys '${file}' > /dev/full`;
    const { status, stderr } = spawnSync('bash', ['-c', create], { encoding: 'utf8' });
    const id = JSON.parse(readFileSync(file, 'utf8')).keys[0].kid;
    expect(stderr).toContain(
      `The private key could not be printed and is lost. Undo this with \`signing-keys retire ${id}\`, then create another key.`,
    );
    expect(status).toBe(1);
  });

  test.each([
    ['a missing file', ['responses', 'verify', '/nowhere']],
    ['a file that is not a response', ['responses', 'verify', 'package.json']],
    ['a file that is not a set of keys', ['signing-keys', 'list', '--keys', 'package.json']],
  ])('%s is a usage error', async (_, words) => {
    expect(await runAdmin(words)).toMatchObject({ status: 2, stdout: '' });
  });

  test('a response is not verified with a file that is not a set of keys', async () => {
    saveSignedAt(Date.now());
    const { status, stderr } = await runAdmin([
      ...['responses', 'verify', saved, '--keys', 'package.json'],
    ]);
    expect(stderr).toContain('package.json is not a JWK Set. Check the address.');
    expect(status).toBe(2);
  });
});
