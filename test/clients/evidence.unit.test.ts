// Tests the verification of valid, forged and damaged evidence, and the package's command for it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  type Evidence,
  InvalidEvidence,
  type PublicKey,
  type Reason,
  verifyEvidence,
} from '../../clients/typescript/evidence.ts';
import { KEY_SET_PATH } from '../../contract/endpoint.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
  signingKeyOf,
} from '../../tools/sandbox/demonstrationKey.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { runProgram } from '../guide/samples.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { RESULT } from './responses.ts';

/** What differs from valid evidence and its keys. */
interface Change {
  readonly evidence?: unknown;
  readonly keys?: readonly unknown[];
  /** Milliseconds since the epoch. */
  readonly keptSince?: number | undefined;
}

const NOW = Date.UTC(2026, 10, 20, 12);
const QUERY = `email=${encodeURIComponent('j\u00fcrg+1@example.com')}`;
const BODY = JSON.stringify({ ...RESULT, note: 'j\u00fcrg' });

/** @param at milliseconds since the epoch @param changes what else the signature covers */
function evidenceAt(at: number, query = QUERY, changes: object = {}, body = BODY) {
  const sign = createSigner(parseSigningKey(pemOf(DEMONSTRATION_SIGNING_KEY)), () => at);
  const parts = { status: 200, contentType: 'application/json; charset=utf-8', ...changes };
  const signed = sign({ ...parts, body, requestId: 'r-1', query });
  return {
    url: `https://poh.example/pohAttestationsEndpoint?${query}`,
    body,
    requestId: 'r-1',
    signatureInput: signed['Signature-Input'] ?? '',
    signature: signed['Signature'] ?? '',
  };
}

const EVIDENCE = evidenceAt(NOW);
const { signature, signatureInput } = EVIDENCE;
const seconds = NOW / 1000;
const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
const others = publicKeySetOf(signingKeyOf('other')).keys;
const kid = keys[0]?.kid;

const changed = (fields: object): Change => ({ evidence: { ...EVIDENCE, ...fields } });
const withKey = (members: object) => ({ keys: keys.map((key) => ({ ...key, ...members })) });
const leakedAt = (time: number) =>
  withKey({ exp: time, revoked: { revoked_at: time, reason: 'compromised' } });
/** @param keptSince milliseconds since the epoch; the key leaked a second after it signed */
const leakedLater = (keptSince?: number): Change => ({ ...leakedAt(seconds + 1), keptSince });
const fast = Math.floor(Date.now() / 1000) * 1000 + 240_000;

const VALID: Readonly<Record<string, Change>> = {
  'through another address': changed({ url: `http://other.example/?${QUERY}` }),
  'with "#" in the query': { evidence: evidenceAt(NOW, 'wallet=W&a=#x?y') },
  'of a refusal': {
    evidence: { ...evidenceAt(NOW, QUERY, { status: 404 }), status: 404 },
  },
  'with a key that was retired later': withKey({ exp: seconds }),
  'with a key that was created with a slightly fast clock': withKey({ nbf: seconds + 299 }),
  'with a key that leaked later, if kept since before the leak': leakedLater(NOW + 999),
  'with a leaked key, if the clock of the proof was 5 minutes slow': leakedLater(NOW - 300_000),
  'with other keys in the set': {
    keys: [{ kid: 'a', kty: 'RSA' }, null, 7, { kid: 7 }, { kid: 7 }, ...others, ...keys],
  },
  'signed when the clock was 4 minutes fast': { evidence: evidenceAt(fast) },
};

const input = (before: string, after: string): Change =>
  changed({ signatureInput: signatureInput.replace(before, after) });

/** Members with another type, which make a key unusable. */
const UNUSABLE: readonly object[] = [
  { x: `${keys[0]?.x}!` },
  { kty: 'EC' },
  { crv: 'X25519' },
  { use: null },
  { nbf: 1.5 },
  { exp: null },
  { revoked: { revoked_at: '1' } },
];

const REFUSED: readonly (readonly [string, Reason, Change])[] = [
  ...UNUSABLE.map((members) => [inspect(members), 'unknown_key', withKey(members)] as const),
  ['another body', 'changed', changed({ body: BODY.replace('true', 'false') })],
  ['another query', 'changed', changed({ url: `${EVIDENCE.url}1` })],
  ['another request id', 'changed', changed({ requestId: 'r-2' })],
  ['another status', 'changed', { evidence: evidenceAt(NOW, QUERY, { status: 201 }) }],
  ['another content type', 'changed', { evidence: evidenceAt(NOW, QUERY, { contentType: 'x' }) }],
  ['another time', 'changed', input(`${seconds}`, `${seconds + 1}`)],
  ['another key with the same id', 'changed', { keys: others.map((key) => ({ ...key, kid })) }],
  ['fewer components', 'malformed', input('"@status" ', '')],
  ['no signature', 'malformed', changed({ signature: '' })],
  ['no input of the signature', 'malformed', changed({ signatureInput: undefined })],
  ['no body', 'malformed', changed({ body: undefined })],
  ['only a foreign signature', 'malformed', changed({ signatureInput: 'sig=();created=1' })],
  ['nothing', 'malformed', { evidence: null }],
  ['an unsigned status', 'changed', changed({ status: 404 })],
  [
    'a status of no person',
    'malformed',
    { evidence: { ...evidenceAt(NOW, QUERY, { status: 401 }), status: 401 } },
  ],
  ['another signature', 'malformed', changed({ signature: `a=:AA==:, ${signature}` })],
  ['words before the input', 'malformed', input('', 'a=();keyid="b", ')],
  ['words after the input', 'malformed', changed({ signatureInput: `${signatureInput}, a=()` })],
  ['two members in the signature', 'malformed', changed({ signature: `${signature}, poh=:AA==:` })],
  ['two members in the input', 'malformed', input('', 'poh;a=1,')],
  ['an unrelated key', 'unknown_key', { keys: others }],
  ['two keys with its id, of which one is unusable', 'invalid_keys', { keys: [{ kid }, ...keys] }],
  ['a retired key', 'key_retired', withKey({ exp: seconds - 1 })],
  ['a key that was created later', 'key_not_yet', withKey({ nbf: seconds + 301 })],
  ['a leaked key', 'key_leaked', { ...leakedAt(seconds), keptSince: 1 }],
  ['a key that leaked in any form', 'key_leaked', { ...withKey({ revoked: null }), keptSince: 1 }],
  ['the second of the leak', 'key_leaked', { ...leakedAt(seconds), keptSince: NOW - 1_000 }],
  ['a leaked key without a proof', 'key_leaked', leakedLater()],
  ['a leaked key with a proof since the leak', 'key_leaked', leakedLater(NOW + 1_000)],
  ['a leaked key with a proof before the signature', 'key_leaked', leakedLater(NOW - 300_001)],
  ['a time in the future', 'clock', { evidence: evidenceAt(Date.now() + 400_000) }],
];

function verdictOf({ evidence = EVIDENCE, keys: known = keys, keptSince }: Change): string {
  const since = keptSince === undefined ? undefined : new Date(keptSince);
  try {
    const verified = verifyEvidence(evidence as Evidence, known as PublicKey[], since);
    return `${verified.keyId === kid} ${verified.signedAt.toISOString()}`;
  } catch (error) {
    if (error instanceof InvalidEvidence) return error.reason;
    throw error;
  }
}

test.each(Object.entries(VALID))('evidence is valid %s', (_, change) => {
  expect(verdictOf(change)).toMatch(/^true 20\S+\.000Z$/);
});

/** What the messages tell people. */
const SAYS: Readonly<Record<Reason, string>> = {
  malformed: 'completely',
  invalid_keys: 'again',
  unknown_key: 'current keys',
  changed: 'exactly',
  key_leaked: 'earliest time',
  key_retired: 'after its key was retired',
  key_not_yet: 'before its key was created',
  clock: 'in the future',
};

test.each(REFUSED)('refuses %s', (_, reason, change) => {
  expect(verdictOf(change)).toBe(reason);
  expect(new InvalidEvidence(reason).message).toContain(SAYS[reason]);
});

test('refuses long headers before it reads them, because others write them', () => {
  const signatureInput = ',poh=('.repeat(200_000);
  const startedAt = process.cpuUsage().user;
  expect(verdictOf(changed({ signatureInput }))).toBe('malformed');
  expect(verdictOf(changed({ requestId: 'r'.repeat(1_001) }))).toBe('malformed');
  // Reading them took minutes.
  expect(process.cpuUsage().user - startedAt).toBeLessThan(3_000_000);
});

describe('poh-attestations verify', () => {
  const folder = temporaryFolder();
  const save = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const keySet = save('keys.json', JSON.stringify({ keys }));
  const stored = save('stored.json', JSON.stringify({ evidence: EVIDENCE, keys: [] }));
  const verify = (...words: readonly string[]) =>
    runProgram(process.execPath, ['clients/typescript/command.ts', ...words], { cwd: '.' });
  const signedAt = new Date(NOW).toISOString();
  const shown = `valid: signed ${signedAt} by ${kid}
query: ?${QUERY}
returned: hasVerifiedHuman true, votedCount 2, supportedCount 1\n`;
  // Only the query is signed, so nothing else of the URL is printed.
  const text = JSON.stringify({ ...EVIDENCE, url: `https://h\n\u001b[31m.example/?${QUERY}` });

  test.each([
    ['UTF-8', text],
    ['a byte order mark', `\ufeff${text}`],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ])('reads %s', async (title, content) => {
    const outcome = await verify('verify', save(title, content), '--keys', keySet);
    expect(outcome).toEqual({ status: 0, stdout: shown, stderr: '' });
  });

  test('prints the verdict as JSON, with status 1 if it is not valid', async () => {
    const { stdout } = await verify('verify', stored, '--keys', keySet, '--json');
    const result = JSON.parse(BODY);
    const query = `?${QUERY}`;
    expect(JSON.parse(stdout)).toEqual({
      valid: true,
      signedAt,
      keyId: kid,
      query,
      status: 200,
      result,
    });
    const refused = await verify('verify', stored, '--keys', stored, '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ valid: false, reason: 'unknown_key' });
    expect(refused).toMatchObject({ status: 1, stderr: '' });
  });

  test('prints what somebody else wrote only as escapes, also in JSON', async () => {
    const body = JSON.stringify({ ...RESULT, votedCount: '\u009b\u202e\u2028\u{e0041}' });
    const written = evidenceAt(NOW, 'wallet=\n\u001b[8m', {}, body);
    const hidden = save('hidden.json', JSON.stringify(written));
    for (const words of [[], ['--json']]) {
      const { stdout, status } = await verify('verify', hidden, '--keys', keySet, ...words);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}]/u);
      expect(stdout).toContain('\\u001b[8m');
      expect(stdout).toContain('\\u009b\\u202e\\u2028\\udb40\\udc41');
      expect(status).toBe(0);
    }
  });

  test('verifies a folder, of which one file is not valid', async () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    const refusal = { ...evidenceAt(NOW, QUERY, { status: 404 }), status: 404 };
    save('many/1.json', JSON.stringify({ evidence: EVIDENCE }));
    save('many/2.json', JSON.stringify({ evidence: refusal }));
    save('many/keys.jwks', JSON.stringify({ keys }));
    const valid = await verify('verify', many, '--keys', join(many, 'keys.jwks'));
    expect(valid).toMatchObject({ status: 0, stderr: '2 valid, 0 not valid\n' });
    expect(valid.stdout).toMatch(
      /^1: valid: signed [^\n]*\n2: valid: [^\n]*returned: HTTP 404 \w+\n$/,
    );
    save('many/3.json', JSON.stringify({ evidence: { ...EVIDENCE, requestId: 'r-9' } }));
    const { status, stderr } = await verify('verify', many, '--keys', keySet);
    expect(stderr).toMatch(/^3: changed: .*\n2 valid, 1 not valid\n$/);
    expect(status).toBe(1);
    const { stdout } = await verify('verify', many, '--keys', keySet, '--json');
    expect(stdout).toMatch(/^{"file":"1.json",.*\n.*\n{"file":"3.json",.*"reason":"changed",.*\n$/);
  });

  test('accepts a leaked key only with a date of proof before the leak', async () => {
    const leaked = save('leaked.json', JSON.stringify(leakedAt(seconds + 1)));
    const words = ['verify', stored, '--keys', leaked];
    const { status, stdout, stderr } = await verify(...words);
    expect(stderr).toMatch(/^key_leaked: .* The option for it is --kept-since\.\n$/);
    expect([status, stdout]).toEqual([1, '']);
    const kept = '2026-11-20T13:00:00+01:00';
    expect(await verify(...words, '--kept-since', kept)).toMatchObject({ status: 0 });
    expect(await verify(...words, '--kept-since', '2020-01-01')).toMatchObject({ status: 1 });
  });

  test('fetches the keys from the operator, and follows no redirect', async () => {
    let isDown = false;
    const platform = createServer(({ url, headers: { host } }, response) => {
      if (host?.startsWith('localhost')) response.writeHead(302, { Location: `${address}${url}` });
      else if (url !== KEY_SET_PATH || isDown) response.writeHead(503);
      response.end(JSON.stringify({ keys }));
    });
    const address = `http://127.0.0.1:${await listen(platform)}`;
    const words = ['verify', stored, '--keys'];
    expect(await verify(...words, `${address}/guide.html`)).toMatchObject({ status: 0 });
    const other = await verify(...words, address.replace('127.0.0.1', 'localhost'));
    expect(other).toMatchObject({ status: 2, stderr: 'unexpected redirect\n' });
    isDown = true;
    const { status, stderr } = await verify(...words, address);
    expect(stderr).toBe(`${address}${KEY_SET_PATH} responded with HTTP 503.\n`);
    expect(status).toBe(2);
    platform.close();
  });

  test.each([
    ['another command', ['prove', stored, '--keys', keySet], 'Usage: '],
    ['a folder without evidence', ['verify', 'clients', '--keys', keySet], 'contains no files'],
    ['no keys', ['verify', stored], 'Usage: '],
    ['two files', ['verify', stored, stored, '--keys', keySet], 'Usage: '],
    ['two files of voters', ['check', 'a', 'b', '--out', 'c'], 'Usage: '],
    ['no lookup at once', ['check', 'a', '--out', 'c', '--at-once', '0'], 'Set --at-once to a num'],
    [
      'no file',
      ['verify', '\u001b[8m', '--keys', keySet],
      "no such file or directory, stat '\\u001b",
    ],
    ['no file of keys', ['verify', stored, '--keys', 'nowhere'], 'ENOENT: no such file'],
    ['an unknown option', ['verify', stored, '--key', keySet], "Unknown option '--key'"],
    ['text', ['verify', 'README.md', '--keys', keySet], 'README.md is not JSON.'],
    ['other JSON', ['verify', keySet, '--keys', keySet], 'is not evidence as a client stores it.'],
    ['keys without a list', ['verify', stored, '--keys', 'package.json'], 'has no list "keys".'],
    ['plain http', ['verify', stored, '--keys', 'http://poh.example'], 'POH_URL) to https://…'],
    ['no platform', ['verify', stored, '--keys', 'http://127.0.0.1:49151'], 'ECONNREFUSED'],
    [
      'a local time',
      ['verify', stored, '--keys', keySet, '--kept-since', '2026-11-20T09:00:00'],
      'form 2026-11-20T09:00:00Z.',
    ],
  ])('refuses %s with status 2', async (_, words, message) => {
    const { status, stdout, stderr } = await verify(...words);
    expect(stderr).toContain(message);
    expect([status, stdout]).toEqual([2, '']);
  });
});
