// Tests that the clients send nothing to a server whose certificate is not valid for its name, also through a proxy.

import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificate } from '../../tools/doubles/certificate.ts';
import { listen, portOf } from '../../tools/sandbox/freePort.ts';
import { type Job, LANGUAGES } from './drivers.ts';
import { byWallet } from './responders.ts';

const { key, cert, file } = await createCertificate(['localhost', 'poh.example']);
let requests = 0;
const server = createServer({ key, cert }, (_, response) => {
  requests += 1;
  response.end(JSON.stringify(byWallet.value));
});
/** The environment of a machine that trusts the certificate. */
const TRUSTING = { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, NO_PROXY: 'localhost' };

/** A proxy that asks for credentials, and reaches the server under any name. */
const proxy = createPlainServer().on('connect', ({ headers }, socket) => {
  const credentials = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
  if (headers['proxy-authorization'] !== credentials) {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    return;
  }
  socket.write('HTTP/1.1 200 Connected\r\n\r\n');
  const onwards = connect(portOf(server), '127.0.0.1');
  onwards.pipe(socket).pipe(onwards);
  for (const end of [socket, onwards]) end.on('error', () => undefined);
});

beforeAll(async () => {
  await listen(proxy);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  for (const each of [server, proxy]) {
    each.closeAllConnections();
    each.close();
    await once(each, 'close');
  }
});

const lookUp = (host: string): Job => ({
  action: 'lookUp',
  url: `https://${host}:${portOf(server)}`,
  key: 'a-key',
  subject: { token: 'a-token' },
});

describe.each(LANGUAGES)('$name', ({ name, run }) => {
  test('looks up if the certificate is trusted and has the name', async () => {
    requests = 0;
    const [good, otherName] = await run([lookUp('localhost'), lookUp('127.0.0.1')], TRUSTING);
    expect(good).toMatchObject({ kind: 'ok' });
    expect(otherName).toMatchObject({ kind: 'unavailable' });
    expect(requests).toBe(1);
  });

  test('sends nothing if the certificate is not trusted', async () => {
    requests = 0;
    const [outcome] = await run([lookUp('localhost')], { NO_PROXY: 'localhost' });
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(outcome?.text).toMatch(/certificate|CERT|verify/);
    expect(requests).toBe(0);
  });
  test("looks up through a proxy with credentials, or says the proxy's status", async () => {
    const through = (credentials: string) => ({
      ...TRUSTING,
      NO_PROXY: '',
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://${credentials}@127.0.0.1:${portOf(proxy)}`,
    });
    const job = { ...lookUp('localhost'), url: 'https://poh.example' };
    const [good] = await run([job], through('us%40er:pa%3Ass'));
    expect(good).toMatchObject({ kind: 'ok' });
    const [refused] = await run([job], through('us%40er:wrong'));
    expect(refused).toMatchObject({ kind: 'unavailable' });
    if (name.startsWith('Python'))
      expect(refused?.text).toContain('the proxy responded with HTTP 407');
  });
});
