// Tests the connections of the clients. They send nothing to a server whose certificate is not valid for its name, also
// through a proxy, and take no response that an earlier request left behind.

import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createCertificate } from '../../tools/doubles/certificate.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { type Job, LANGUAGES } from './drivers.ts';
import { RESULT } from './responses.ts';

const { key, cert, file } = await createCertificate(['localhost', 'poh.example']);
/** The environment of a machine that trusts the certificate. */
const TRUSTING = { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, NO_PROXY: 'localhost' };

let requests = 0;
beforeEach(() => {
  requests = 0;
});

/** Responds that nobody is a verified human, and adds a second response that says the contrary. */
const respond: RequestListener = ({ socket }) => {
  requests += 1;
  const responses = [false, true].map((hasVerifiedHuman) => {
    const body = JSON.stringify({ ...RESULT, wallet: undefined, hasVerifiedHuman });
    return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  socket.write(responses.join(''));
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
afterAll(() => {
  for (const server of [plain, tls, proxy]) server.close().closeAllConnections();
});

const lookUp = (host: string): Job => ({
  url: `https://${host}`,
  key: 'a-key',
  subject: { token: 't' },
});

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
    const subjects = [1, 2, 3].map((index) => ({ token: `t-${index}` }));
    const url = `${scheme}://localhost:${ports[scheme]}`;
    const job: Job = { url, key: 'a-key', subjects, atOnce: 1 };
    const value = subjects.map((subject) => ({ ...subject, isHuman: false }));
    expect(await run({ job }, TRUSTING)).toMatchObject({ job: { kind: 'ok', value } });
  });
});
