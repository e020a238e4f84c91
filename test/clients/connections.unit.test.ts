// Tests the connections of the clients. They send nothing to a server whose certificate is not valid for its name, also
// through a proxy. Processes and threads that look people up together get the results of their own subjects. After
// a fork, two processes must not use one connection, because each would read the other's responses.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createCertificate } from '../../tools/doubles/certificate.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { type Job, LANGUAGES } from './drivers.ts';
import { RESULT } from './responses.ts';

const { key, cert, file } = await createCertificate(['localhost', 'poh.example']);
/** The environment of a machine that trusts the certificate. */
const TRUSTING = { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, NO_PROXY: 'localhost' };

let requests = 0;
/** How often each subject was requested. */
const requestsOf = new Map<string, number>();
/** The processes whose requests arrived on each connection. A subject is HUMAN-PROCESS-NUMBER. */
const processesBySocket = new Map<Socket, Set<string>>();
beforeEach(() => {
  requests = 0;
  requestsOf.clear();
  processesBySocket.clear();
});

/** Responds that the subject is a verified human if its first part says so. */
const respond: RequestListener = ({ url = '', socket }, response) => {
  requests += 1;
  requestsOf.set(url, (requestsOf.get(url) ?? 0) + 1);
  const [, mode, subject = ''] = /\?(\w+)=(.*)/.exec(url) ?? [];
  const [kind = '', process = ''] = subject.split('-');
  const wallet = mode === 'wallet' ? subject : undefined;
  processesBySocket.set(socket, (processesBySocket.get(socket) ?? new Set()).add(process));
  const bodyFor = (hasVerifiedHuman: boolean) =>
    JSON.stringify({ ...RESULT, wallet, hasVerifiedHuman });
  const body = bodyFor(kind === 'human');
  if (process === 'stray') {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: `;
    const both = [body, bodyFor(true)].map((text) => `${head}${text.length}\r\n\r\n${text}`);
    socket.write(both.join(''));
    return;
  }
  // Responding later gives the other process time to send a request on the same connection.
  setTimeout(() => response.end(body), 5);
};

const plain = createServer(respond);
const tls = createTlsServer({ key, cert }, respond);
/** A proxy that asks for credentials, and reaches the server under any name. */
const proxy = createServer().on('connect', ({ headers }, socket) => {
  const credentials = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
  if (headers['proxy-authorization'] !== credentials) {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    return;
  }
  socket.write('HTTP/1.1 200 Connected\r\n\r\n');
  const onwards = connect(ports.https, '127.0.0.1');
  onwards.pipe(socket).pipe(onwards);
  for (const end of [socket, onwards]) end.on('error', () => undefined);
});
const ports = { http: await listen(plain), https: await listen(tls), proxy: await listen(proxy) };
afterAll(async () => {
  for (const server of [plain, tls, proxy]) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

const lookUp = (host: string): Job => ({
  action: 'lookUp',
  url: `https://${host}`,
  key: 'a-key',
  subject: { token: 'human-0-0' },
});

const LOOKUPS = 6;
const PROCESSES = 6;
const isHuman = (process: number, index: number): boolean => (process + index) % 2 === 0;

describe.each(LANGUAGES)('$name', ({ name, run }) => {
  test('looks up if the certificate is trusted and has the name', async () => {
    const [good, other] = [`localhost:${ports.https}`, `127.0.0.1:${ports.https}`].map(lookUp);
    const outcomes = await run({ good, other } as Record<string, Job>, TRUSTING);
    expect(outcomes).toMatchObject({ good: { kind: 'ok' }, other: { kind: 'unavailable' } });
    expect(requests).toBe(1);
  });

  test('sends nothing if the certificate is not trusted', async () => {
    const job = lookUp(`localhost:${ports.https}`);
    const { outcome } = await run({ outcome: job }, { NO_PROXY: 'localhost' });
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(outcome?.text).toMatch(/certificate|CERT|verify/);
    expect(outcome?.text).toMatch(/\bcause\b/);
    expect(requests).toBe(0);
  });

  test("looks up through a proxy with credentials, or says the proxy's status", async () => {
    const through = async (credentials: string) => {
      const HTTPS_PROXY = `http://${credentials}@127.0.0.1:${ports.proxy}`;
      const env = { ...TRUSTING, NO_PROXY: '', NODE_USE_ENV_PROXY: '1', HTTPS_PROXY };
      return (await run({ outcome: lookUp('poh.example') }, env))['outcome'];
    };
    expect(await through('us%40er:pa%3Ass')).toMatchObject({ kind: 'ok' });
    const refused = await through('us%40er:wrong');
    expect(refused).toMatchObject({ kind: 'unavailable' });
    if (name.startsWith('Python'))
      expect(refused?.text).toContain('the proxy responded with HTTP 407');
  });

  test.each(['http', 'https'] as const)('takes no stray response over %s', async (scheme) => {
    const subjects = [1, 2, 3].map((index) => ({ token: `bot-stray-${index}` }));
    const url = `${scheme}://localhost:${ports[scheme]}`;
    const job: Job = { action: 'many', url, key: 'a-key', subjects, atOnce: 1 };
    const value = { found: subjects.map((subject) => ({ ...subject, isHuman: false })) };
    expect(await run({ job }, TRUSTING)).toMatchObject({ job: { kind: 'ok', value } });
  });

  // Of the modes, only wallets reuse connections in Python.
  test.each([
    { mode: 'wallet', scheme: 'http' },
    { mode: 'wallet', scheme: 'https' },
    { mode: 'token', scheme: 'https' },
  ] as const)('$mode over $scheme', async ({ scheme, mode }) => {
    const groups = Array.from({ length: PROCESSES }, (_, process) =>
      Array.from({ length: LOOKUPS }, (_, index) => ({
        [mode]: `${isHuman(process, index) ? 'human' : 'bot'}-${process}-${index}`,
      })),
    );
    const url = `${scheme}://localhost:${ports[scheme]}`;
    const job: Job = { action: 'processes', url, key: 'a-key', groups };
    const value = groups.map((group, process) => group.map((_, index) => isHuman(process, index)));
    expect(await run({ job }, TRUSTING)).toMatchObject({ job: { kind: 'ok', value } });
    // A lookup that waits for a thread of another process would end with its time limit, and be repeated.
    const repeated = [...requestsOf].filter(([url, times]) => times > 1 && !/parent/.test(url));
    expect(repeated).toEqual([]);
    const shared = [...processesBySocket.values()].filter(({ size }) => size > 1);
    expect(shared).toEqual([]);
  });
});
