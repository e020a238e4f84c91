// Tests `smoke` against the served function, and against servers with one fault each.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
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
  notRequested: z.array(z.string()),
  firstMs: z.number(),
  warmMs: z.number(),
});

const folder = temporaryFolder();
let keyFile: string;
let publicKeys: string;

beforeAll(async () => {
  keyFile = join(folder, 'key');
  await writeFile(keyFile, `${await seedKey()}\n`);
  publicKeys = join(folder, 'keys.json');
  await writeFile(publicKeys, JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY)));
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
  expect(report.notRequested).toEqual(['malformed_request', 'internal']);
  expect(report.url).toBe(`${base}/pohAttestationsEndpoint`);
  expect([report.ok, status]).toEqual(expected.length > 0 ? [false, 1] : [true, 0]);
});

test('without a key, smoke names the codes that it did not request', async () => {
  const url = `${servedUrl}pohAttestationsEndpoint`;
  const { status, stdout, stderr } = await spawnAdmin(['smoke', '--url', url]);
  expect(stdout).toMatch(
    /^REQUEST +EXPECTED +MS +RESULT\nan unknown key +unauthorized +\d+ +as expected\n/,
  );
  expect(stdout).toMatch(/\nFirst request \d+ ms, warm \d+ ms \(median\)\.\n$/);
  expect(stderr).toContain(
    'Not requested without --key-file: a lookup, and missing_subject, repeated_parameter, ' +
      'invalid_wallet, malformed_request, email_not_found, token_not_found, internal.',
  );
  expect(status).toBe(0);
});

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Starts a proxy that makes one change to each response of the served function. */
async function proxyWith(change: (reply: Reply, incoming: IncomingMessage) => void) {
  const server = createServer((incoming, response) => void relay(incoming, response, change));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function relay(
  incoming: IncomingMessage,
  response: ServerResponse,
  change: (reply: Reply, incoming: IncomingMessage) => void,
): Promise<void> {
  const { method, headers } = incoming;
  const passed = request(new URL(incoming.url ?? '', servedUrl), { method, headers });
  passed.end();
  const [received]: IncomingMessage[] = await once(passed, 'response');
  if (received === undefined) throw new Error('no response');
  const reply: Reply = {
    status: received.statusCode ?? 0,
    headers: { ...received.headers },
    body: (await buffer(received)).toString(),
  };
  delete reply.headers['content-length'];
  change(reply, incoming);
  response.writeHead(reply.status, reply.headers).end(reply.body);
}

/** How a response is changed; an undefined header is removed. */
interface Change {
  /** Only responses with this status are changed. */
  readonly from?: number;
  readonly status?: number;
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string;
  readonly replaced?: readonly [RegExp, string];
}

function apply({ from, status, headers, body, replaced }: Change, reply: Reply): void {
  if (from !== undefined && reply.status !== from) return;
  reply.status = status ?? reply.status;
  reply.body = body ?? reply.body;
  if (replaced) reply.body = reply.body.replace(...replaced);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === undefined) delete reply.headers[name];
    else reply.headers[name] = value;
  }
}

describe('reports the difference if', () => {
  test.each<[string, Change, string]>([
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
      'everybody is admitted',
      { from: 401, status: 200 },
      'status 200 instead of 401 (unauthorized)',
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
  ])('%s', async (_, change, difference) => {
    await using broken = await proxyWith((reply) => apply(change, reply));
    const { status, stdout } = await smoke(broken.url, '--key-file', keyFile, '--json');
    const { ok, checks, publicKeys: source } = reportSchema.parse(JSON.parse(stdout));
    expect(source).toMatch(/\/publicKeys\.json$/);
    expect(checks.flatMap(({ differences }) => differences)).toContain(difference);
    expect(ok).toBe(false);
    expect(status).toBe(1);
  });

  test.each<[string, object, Change, string]>([
    [
      'the signing key is not published',
      publicKeySetOf(signingKeyOf('another')),
      {},
      'unknown_key: No usable key has the id',
    ],
    [
      'a proxy changes a signed header',
      publicKeySetOf(DEMONSTRATION_SIGNING_KEY),
      { headers: { 'x-request-id': 'another' } },
      'changed: ',
    ],
    [
      'a proxy changes the digest',
      publicKeySetOf(DEMONSTRATION_SIGNING_KEY),
      { headers: { 'content-digest': 'sha-256=:AA==:' } },
      'Content-Digest does not match the body',
    ],
    [
      'signatures are lost',
      publicKeySetOf(DEMONSTRATION_SIGNING_KEY),
      { headers: { signature: undefined } },
      'not signed, although a key is active',
    ],
  ])('%s', async (_, served, change, difference) => {
    await using deployment = await proxyWith((reply, { url }) => {
      if (url?.startsWith('/.well-known/')) {
        Object.assign(reply, { status: 200, body: JSON.stringify(served) });
      } else apply(change, reply);
    });
    const { status, stdout } = await smoke(deployment.url, '--key-file', keyFile, '--json');
    const { checks, publicKeys: source } = reportSchema.parse(JSON.parse(stdout));
    expect(source).toMatch(`${deployment.url}/.well-known/`);
    expect(checks.find(({ name }) => name === 'a lookup')?.differences).toContainEqual(
      expect.stringContaining(difference),
    );
    expect(status).toBe(1);
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
  test('no server is listening', async () => {
    const { status, stderr, stdout } = await smoke('http://127.0.0.1:1');
    expect(stderr).toMatch(
      /^Nothing responds at http:\/\/127\.0\.0\.1:1\/pohAttestationsEndpoint: .* Check --url/,
    );
    expect([status, stdout]).toEqual([1, '']);
  });

  test('the key would be sent without TLS', async () => {
    const { status, stderr } = await smoke('http://poh.example', '--key-file', keyFile);
    expect(stderr).toContain('must begin with https://');
    expect(status).toBe(2);
  });

  test('the key file contains two keys', async () => {
    const file = join(folder, 'two');
    await writeFile(file, 'first second');
    const { status, stderr } = await smoke(servedUrl, '--key-file', file);
    // The whole text, because no key may be in it.
    expect(stderr).toBe(`${file} is not one key on one line.\n`);
    expect(status).toBe(2);
  });

  test('the key file does not exist', async () => {
    const { status, stderr } = await smoke(servedUrl, '--key-file', join(folder, 'none'));
    expect(stderr).toContain('cannot be read. Check its name and permissions.');
    expect(status).toBe(2);
  });
});

test('no output contains the key', async () => {
  const key = await seedKey();
  const file = join(folder, 'secret');
  await writeFile(file, key);
  const { stdout, stderr } = await smoke(servedUrl, '--key-file', file, '--json', '--verbose');
  expect(stdout + stderr).not.toContain(key);
});
