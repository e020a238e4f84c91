// Tests `smoke` against the served function, and against servers with one fault each.

import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  DEMONSTRATION_SIGNING_KEY,
  publicKeySetOf,
  signingKeyOf,
} from '../../tools/sandbox/demonstrationKey.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { ENDPOINTS, servedUrl } from '../support/endpoints.ts';
import { seedKey, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runAdmin, spawnAdmin } from './adminCommand.ts';

const PUBLISHED = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);

const keyFile = join(temporaryFolder(), 'key');
const key = await seedKey();
writeFileSync(keyFile, `${key}\n`);
const verified = await seedWallet({ attestationType: 0 });
const KNOWN = ['--key-file', keyFile, '--verified', verified];

/** @returns also the rows of the table */
async function smoke(url: string, ...words: string[]) {
  const run = await runAdmin(['smoke', '--url', url, ...words]);
  const rows = run.stdout.split('\n').flatMap((line) => {
    const [, name, expected, result] = /^(.+?) {2,}(\w+) +\d+ {2,}(.*)$/.exec(line) ?? [];
    return name && expected && result ? [{ name, expected, result }] : [];
  });
  return { ...run, rows };
}

/** How each server differs. The Functions emulator, unlike Google, responds to preflights itself. */
const DIFFERENCES = {
  'the Functions emulator': ["a browser's preflight: status 204 instead of 405"],
  'its own server': [],
};

interface Reply {
  status: number;
  headers: Headers;
  body: string;
}

/** Starts a proxy that makes one change to each response of the served function, or of another server. */
async function proxyWith(
  change: (reply: Reply, incoming: IncomingMessage) => void,
  upstream = servedUrl,
) {
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '' } = incoming;
    const key = incoming.headers['x-poh-api-key'];
    const headers = { ...(typeof key === 'string' && { 'x-poh-api-key': key }) };
    const received = await fetch(new URL(url, upstream), { method, headers });
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
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}

/** Publishes a set of public keys, as Hosting does. @returns whether it was asked for */
function publish(set: object, reply: Reply, { url }: IncomingMessage): boolean {
  if (!url?.startsWith('/.well-known/')) return false;
  Object.assign(reply, { status: 200, body: JSON.stringify(set) });
  return true;
}

test.each(ENDPOINTS)('%s follows the contract', async (name, url) => {
  await using deployment = await proxyWith((...exchange) => publish(PUBLISHED, ...exchange), url);
  const base = new URL(url).pathname.replace(/pohAttestationsEndpoint$/, '');
  const { status, stdout, stderr, rows } = await smoke(
    deployment.url + base,
    ...KNOWN,
    '--verbose',
  );
  const found = rows
    .filter(({ result }) => result !== 'as expected')
    .map(({ name, result }) => `${name}: ${result}`);
  expect(found).toEqual(DIFFERENCES[name]);
  expect(rows.map((row) => row.name).join('; ')).toBe(
    "an unknown key; no key; no key, and a bad wallet; HEAD; POST; a browser's preflight; a retired path; no subject; " +
      'a wallet twice; a bad wallet; an unknown e-mail; an unknown token; a lookup; a verified wallet',
  );
  expect(status).toBe(found.length > 0 ? 1 : 0);
  expect(stdout + stderr).not.toContain(key);
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

describe('reports the difference if', () => {
  const replaced =
    (pattern: RegExp, text: string) =>
    (reply: Reply): void => {
      reply.body = reply.body.replace(pattern, text);
    };

  test.each<[string, (reply: Reply, incoming: IncomingMessage) => unknown, string, object?]>([
    [
      'a cache may store the response',
      ({ headers }) => headers.set('cache-control', 'public, max-age=60'),
      'Cache-Control: public, max-age=60 instead of no-store, no-transform',
    ],
    [
      'CORS is open',
      ({ headers }) => headers.set('access-control-allow-origin', '*'),
      'access-control-allow-origin allows browsers to call it',
    ],
    [
      'the account lacks a role',
      (reply) => {
        const body = '{"error":"x","code":"internal","requestId":"x"}';
        Object.assign(reply, { status: 500, body });
      },
      'status 500 instead of 401 (internal)',
    ],
    ['a header is lost', ({ headers }) => headers.delete('allow'), 'Allow: (none) instead of GET'],
    ['another version runs', replaced(/A/, 'B'), 'the message is from another version'],
    ['a code changed', replaced(/unauthorized/, 'not_found'), 'not_found instead of unauthorized'],
    ['the request id is lost', ({ headers }) => headers.delete('x-request-id'), 'no X-Request-Id'],
    ['its request id differs', replaced(/"requestId":"/, '"requestId":"x'), 'requestId differs'],
    [
      // Neither a key nor the trust in a site goes to where it redirects.
      'it redirects',
      (reply, { url = '' }) => {
        const moved = { status: 200, body: JSON.stringify(PUBLISHED) };
        Object.assign(reply, url === '/moved' ? moved : { status: 307 });
        reply.headers.set('location', '/moved');
      },
      'status 307 instead of 401',
    ],
    [
      'another site responds with a page',
      (reply) => {
        Object.assign(reply, { status: 200, body: '<!doctype html>' });
        reply.headers.set('content-type', 'text/html');
      },
      'status 200 instead of 404',
    ],
    ['a field is lost', replaced(/"count":0,/, ''), 'the body is not the result of a lookup'],
    [
      'it has attestations of nobody',
      replaced(/"count":0/, '"count":1'),
      'a random wallet has att',
    ],
    [
      'it returns another wallet',
      replaced(/"wallet":"[^"]*"/, `"wallet":"${'1'.repeat(32)}"`),
      'it names another wallet',
    ],
    ['the mirror is lost', replaced(/Human":true/, 'Human":false'), 'hasVerifiedHuman is not true'],
    [
      'the signing key is not published',
      () => undefined,
      'unknown_key: No usable key has the id',
      publicKeySetOf(signingKeyOf('another')),
    ],
    [
      'a proxy changes a signed header',
      ({ headers }) => headers.set('x-request-id', 'another'),
      'changed: ',
      PUBLISHED,
    ],
    [
      'a proxy changes a header that is not signed',
      ({ headers }) => headers.set('content-digest', 'sha-256=:AAAA:'),
      'Content-Digest is not that of the body',
      PUBLISHED,
    ],
    [
      'signatures are lost',
      ({ headers }) => headers.delete('signature'),
      'not signed, although a key is active',
      { keys: [...PUBLISHED.keys, { kid: 'retired', exp: 1 }] },
    ],
  ])('%s', async (_, change, difference, published) => {
    await using deployment = await proxyWith((reply, incoming) => {
      if (!published || !publish(published, reply, incoming)) change(reply, incoming);
    });
    const { status, rows, stderr } = await smoke(deployment.url, ...KNOWN);
    // Without a published set, that of this checkout is used.
    const source = published ? `${deployment.url}/.well-known/` : 'functions/src/signatures/';
    expect(stderr).toContain(`Public keys for the signature: ${source}`);
    expect(rows.map(({ result }) => result)).toContainEqual(expect.stringContaining(difference));
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

test('if no server is listening, nothing is checked', async () => {
  const { status, stdout, stderr } = await smoke('http://127.0.0.1:1');
  expect(stderr).toMatch(/^Nothing responds .* Check --url/);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});
