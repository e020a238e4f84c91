// Tests `smoke` against the served function, and against servers with one fault each.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ERROR_CODES } from '../../functions/src/errors.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  publicKeySetOf,
  signingKeyOf,
} from '../../tools/sandbox/signingKey.ts';
import { ENDPOINTS, servedUrl } from '../support/endpoints.ts';
import { seedKey } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runAdmin, spawnAdmin } from './adminCommand.ts';

const reportSchema = z.strictObject({
  url: z.string(),
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      expected: z.string(),
      differences: z.array(z.string()),
      ms: z.number(),
    }),
  ),
  publicKeys: z.string().nullable(),
});

const PUBLISHED = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);

const folder = temporaryFolder();
let keyFile: string;
let publicKeys: string;

beforeAll(async () => {
  keyFile = join(folder, 'key');
  await writeFile(keyFile, `${await seedKey()}\n`);
  publicKeys = join(folder, 'keys.json');
  await writeFile(publicKeys, JSON.stringify(PUBLISHED));
});

const smoke = (url: string, ...words: string[]) => runAdmin(['smoke', '--url', url, ...words]);

// Unlike Google, the Functions emulator responds to preflights itself.
const EMULATOR_DIFFERENCES = ["a browser's preflight: status 204 instead of 405"];

test.each(ENDPOINTS)('%s follows the contract', async (name, url) => {
  const expected = name === 'the Functions emulator' ? EMULATOR_DIFFERENCES : [];
  const base = url.replace(/\/(pohAttestationsEndpoint)?$/, '');
  const { status, stdout } = await smoke(
    base,
    '--key-file',
    keyFile,
    '--keys',
    publicKeys,
    '--json',
  );
  const report = reportSchema.parse(JSON.parse(stdout));
  const found = report.checks.flatMap((check) =>
    check.differences.map((difference) => `${check.name}: ${difference}`),
  );
  expect(found).toEqual(expected);
  const codes = new Set(report.checks.map((check) => check.expected));
  expect(ERROR_CODES.filter((code) => !codes.has(code))).toEqual(['malformed_request', 'internal']);
  expect(report.url).toBe(`${base}/pohAttestationsEndpoint`);
  expect([report.ok, status]).toEqual(expected.length > 0 ? [false, 1] : [true, 0]);
});

test('without a key, smoke says that it made no lookup', async () => {
  const { status, stdout, stderr } = await spawnAdmin(['smoke', '--url', servedUrl]);
  expect(stdout).toMatch(
    /^REQUEST +EXPECTED +MS +RESULT\nan unknown key +unauthorized +\d+ +as expected\n/,
  );
  expect(stdout).not.toContain('a lookup');
  expect(stderr).toContain('Without --key-file, no lookup');
  expect(status).toBe(0);
});

interface Reply {
  status: number;
  headers: Headers;
  body: string;
}

/** Starts a proxy that makes one change to each response of the served function. */
async function proxyWith(change: (reply: Reply, incoming: IncomingMessage) => void) {
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '' } = incoming;
    const key = incoming.headers['x-poh-api-key'];
    const headers = { ...(typeof key === 'string' && { 'x-poh-api-key': key }) };
    const received = await fetch(new URL(url, servedUrl), { method, headers });
    const reply = {
      status: received.status,
      headers: new Headers(received.headers),
      body: await received.text(),
    };
    for (const name of ['content-length', 'connection', 'keep-alive']) reply.headers.delete(name);
    change(reply, incoming);
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(reply.body);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** How a response is changed; an undefined header is removed. */
interface Change {
  readonly status?: number;
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string;
  readonly replaced?: readonly [RegExp, string];
}

function apply({ status, headers, body, replaced }: Change, reply: Reply): void {
  reply.status = status ?? reply.status;
  reply.body = body ?? reply.body;
  if (replaced) reply.body = reply.body.replace(...replaced);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === undefined) reply.headers.delete(name);
    else reply.headers.set(name, value);
  }
}

describe('reports the difference if', () => {
  test.each<[string, Change, string, object?]>([
    [
      'a cache may store the response',
      { headers: { 'cache-control': 'public, max-age=60' } },
      'Cache-Control: public, max-age=60 instead of no-store, no-transform',
    ],
    [
      'CORS is open',
      { headers: { 'access-control-allow-origin': '*' } },
      'access-control-allow-origin allows browsers to call it',
    ],
    [
      'the account lacks a role',
      { status: 500, body: '{"error":"x","code":"internal","requestId":"x"}' },
      'status 500 instead of 401 (internal)',
    ],
    ['another version runs', { replaced: [/A/, 'B'] }, 'the message is from another version'],
    [
      'a code has changed',
      { replaced: [/unauthorized/, 'not_found'] },
      'code not_found instead of unauthorized',
    ],
    ['the request id is lost', { headers: { 'x-request-id': undefined } }, 'no X-Request-Id'],
    [
      'another site responds with a page',
      { status: 200, body: '<!doctype html>', headers: { 'content-type': 'text/html' } },
      'status 200 instead of 404',
    ],
    [
      'the result has lost a field',
      { replaced: [/"count":0,/, ''] },
      'the body is not the result of a lookup',
    ],
    [
      'it returns another wallet',
      { replaced: [/"wallet":"[^"]*"/, `"wallet":"${'1'.repeat(32)}"`] },
      'it names another wallet',
    ],
    [
      'the signing key is not published',
      {},
      'unknown_key: No usable key has the id',
      publicKeySetOf(signingKeyOf('another')),
    ],
    [
      'a proxy changes a signed header',
      { headers: { 'x-request-id': 'another' } },
      'changed: ',
      PUBLISHED,
    ],
    [
      'signatures are lost',
      { headers: { signature: undefined } },
      'not signed, although a key is active',
      PUBLISHED,
    ],
  ])('%s', async (_, change, difference, published) => {
    await using deployment = await proxyWith((reply, { url }) => {
      if (published && url?.startsWith('/.well-known/')) {
        Object.assign(reply, { status: 200, body: JSON.stringify(published) });
      } else apply(change, reply);
    });
    const { status, stdout } = await smoke(deployment.url, '--key-file', keyFile, '--json');
    const { ok, checks, publicKeys: source } = reportSchema.parse(JSON.parse(stdout));
    // Without a published set, that of this checkout is used.
    expect(source).toMatch(published ? `${deployment.url}/.well-known/` : /\/publicKeys\.json$/);
    expect(checks.flatMap(({ differences }) => differences)).toContainEqual(
      expect.stringContaining(difference),
    );
    expect({ ok, status }).toEqual({ ok: false, status: 1 });
  });

  test('the connection is closed after the first response', async () => {
    let responses = 0;
    await using broken = await proxyWith((_, { socket }) => {
      responses += 1;
      if (responses > 1) socket.destroy();
    });
    const { status, stdout } = await smoke(broken.url);
    expect(stdout).toMatch(/no key +unauthorized +\d+ +no response: /);
    expect(status).toBe(1);
  });
});

describe('says what to do, and checks nothing, if', () => {
  test.each<[string, string, string | undefined, number, RegExp]>([
    [
      'no server is listening',
      'http://127.0.0.1:1',
      undefined,
      1,
      /^Nothing responds .* Check --url/,
    ],
    ['the key would be sent without TLS', 'http://poh.example', 'k', 2, /must begin with https:/],
    ['the key file does not exist', servedUrl, undefined, 2, /cannot be read\. Check its name/],
    // The whole text, because no key may be in it.
    ['the key file contains two keys', servedUrl, 'a b', 2, /^\S+ is not one key on one line\.\n$/],
  ])('%s', async (_, url, content, expected, message) => {
    const file = join(folder, 'checked');
    await rm(file, { force: true });
    if (content !== undefined) await writeFile(file, content);
    const words = url === 'http://127.0.0.1:1' ? [] : ['--key-file', file];
    const { status, stdout, stderr } = await smoke(url, ...words);
    expect(stderr).toMatch(message);
    expect([status, stdout]).toEqual([expected, '']);
  });
});

test('no output contains the key', async () => {
  const { stdout, stderr } = await smoke(servedUrl, '--key-file', keyFile, '--json', '--verbose');
  expect(stdout + stderr).not.toContain((await readFile(keyFile, 'utf8')).trim());
});
