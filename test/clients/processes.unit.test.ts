// Tests that processes and threads that look people up together get the results of their own subjects.
// After a fork, two processes must not use one connection, because each would read the other's responses.

import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCertificate } from '../../tools/doubles/certificate.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { LANGUAGES } from './drivers.ts';
import { byWallet } from './responders.ts';

const { key, cert, file } = await createCertificate(['localhost']);
const TRUSTING = { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, NO_PROXY: 'localhost' };

/** The processes whose requests arrived on each connection. A subject is HUMAN-PROCESS-NUMBER. */
const processesBySocket = new Map<Socket, Set<string>>();

/** Responds that the subject is a verified human if its first part says so. */
const respond: RequestListener = ({ url = '', socket }, response) => {
  const [, subject = ''] = url.split('=');
  const [kind = '', process = ''] = subject.split('-');
  processesBySocket.set(socket, (processesBySocket.get(socket) ?? new Set()).add(process));
  const body = JSON.stringify({ ...byWallet.value, hasVerifiedHuman: kind === 'human' });
  // Responding later gives the other process time to send a request on the same connection.
  setTimeout(() => response.end(body), 5);
};

const plain = createPlainServer(respond);
const tls = createTlsServer({ key, cert }, respond);
const urls = { http: '', https: '' };

beforeAll(async () => {
  urls.http = `http://localhost:${await listen(plain)}`;
  urls.https = `https://localhost:${await listen(tls)}`;
});
afterAll(async () => {
  for (const server of [plain, tls]) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});
beforeEach(() => processesBySocket.clear());

const LOOKUPS = 6;
const PROCESSES = 6;
const isHuman = (process: number): boolean => process % 2 === 0;
const groupOf = (mode: string, process: number) =>
  Array.from({ length: LOOKUPS }, (_, index) => ({
    [mode]: `${isHuman(process) ? 'human' : 'bot'}-${process}-${index}`,
  }));

const CASES = (['http', 'https'] as const).flatMap((scheme) =>
  ['token', 'email'].map((mode) => ({ scheme, mode })),
);

describe.each(LANGUAGES)('$name', ({ name, run }) => {
  test.each(CASES)('$mode over $scheme', async ({ scheme, mode }) => {
    const groups = Array.from({ length: PROCESSES }, (_, process) => groupOf(mode, process));
    const url = urls[scheme];
    const [outcome] = await run([{ action: 'processes', url, key: 'a-key', groups }], TRUSTING);
    expect(outcome).toMatchObject({ kind: 'ok' });
    const wanted = groups.map((_, process) => Array(LOOKUPS).fill(isHuman(process)));
    expect(outcome?.value).toEqual(wanted);
    // Go runs everything in one process, which may use each connection for all.
    const shared = [...processesBySocket.values()].filter(({ size }) => size > 1);
    if (name !== 'Go') expect(shared).toEqual([]);
  });
});
