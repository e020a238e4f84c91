// Tests that the clients send nothing to a server whose certificate is not valid for its name.

import { once } from 'node:events';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificate } from '../../tools/doubles/certificate.ts';
import { portOf } from '../../tools/sandbox/freePort.ts';
import { type Job, LANGUAGES } from './drivers.ts';
import { byWallet } from './responders.ts';

const { key, cert, file } = await createCertificate(['localhost']);
let requests = 0;
const server = createServer({ key, cert }, (_, response) => {
  requests += 1;
  response.end(JSON.stringify(byWallet.value));
});
/** The environment of a machine that trusts the certificate. */
const TRUSTING = { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, NO_PROXY: 'localhost' };

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const lookUp = (host: string): Job => ({
  action: 'lookUp',
  url: `https://${host}:${portOf(server)}`,
  key: 'a-key',
  subject: { token: 'a-token' },
});

describe.each(LANGUAGES)('$name', ({ run }) => {
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
});
