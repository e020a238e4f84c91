// Stands in for Google's HTTPS services: the one that exchanges credentials for access tokens, and
// Firebase Authentication, by their names and over TLS. The function reaches them through a proxy.

import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import * as z from 'zod';
import { portOf } from '../sandbox/freePort.ts';

const TOKEN_HOST = 'oauth2.googleapis.com';
const AUTH_HOST = 'identitytoolkit.googleapis.com';

/** What an exchange gets in place of an access token. */
const EXCHANGE_FAULTS = {
  expired: (response) =>
    response.writeHead(400).end(
      JSON.stringify({
        error: 'invalid_grant',
        error_description: 'Token has been expired or revoked.',
      }),
    ),
  signInAgain: (response) =>
    response.writeHead(400).end(
      JSON.stringify({
        error: 'invalid_grant',
        error_description: 'reauth related error (invalid_rapt)',
        error_subtype: 'invalid_rapt',
        error_uri: 'https://support.google.com/a/answer/9368756',
      }),
    ),
  unavailable: (response) => response.writeHead(503).end('<!doctype html><title>503</title>'),
  reset: (response) => response.destroy(),
  hanging: () => undefined,
} as const satisfies Record<string, (response: ServerResponse) => void>;
export type ExchangeFault = keyof typeof EXCHANGE_FAULTS;

export interface GoogleApis {
  /** Sends what is for Google's HTTPS services here. */
  readonly env: Record<string, string>;
  /** What credentials are exchanged for. */
  readonly accessToken: string;
  /** The grant type of each exchange. */
  readonly grants: string[];
  /** The headers of each call of Firebase Authentication. */
  readonly authCalls: IncomingMessage['headers'][];
  /** What every exchange gets from now on. */
  failWith(fault: ExchangeFault): void;
  close(): void;
}

const tokenRequest = z.object({ grant_type: z.string() });
const lookupRequest = z.object({ email: z.array(z.string()) });

/** @param claims the custom claims of whatever e-mail address is looked up */
export async function createGoogleApis(claims: object): Promise<GoogleApis> {
  const accessToken = 'access-token-of-the-credentials';
  let fault: ExchangeFault | undefined;
  const grants: string[] = [];
  const authCalls: IncomingMessage['headers'][] = [];
  const names = [TOKEN_HOST, AUTH_HOST].map((value) => ({ type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: TOKEN_HOST }], {
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  const roots = join(mkdtempSync(join(tmpdir(), 'roots-')), 'roots.pem');
  writeFileSync(roots, cert);

  const services = createHttpsServer({ key, cert }, async (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.headers.host === TOKEN_HOST) {
      const form = Object.fromEntries(new URLSearchParams(await text(request)));
      grants.push(tokenRequest.parse(form).grant_type);
      if (fault) EXCHANGE_FAULTS[fault](response);
      else response.end(JSON.stringify({ access_token: accessToken, expires_in: 3_600 }));
    } else {
      authCalls.push(request.headers);
      const [email] = lookupRequest.parse(await json(request)).email;
      const user = { localId: 'user', email, customAttributes: JSON.stringify(claims) };
      response.end(JSON.stringify({ users: [user] }));
    }
  });
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket) => {
    const isOurs = [TOKEN_HOST, AUTH_HOST].some((host) => request.url === `${host}:443`);
    const far = connect(isOurs ? portOf(services) : 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });
  for (const server of [services, proxy]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  return {
    env: {
      FIREBASE_AUTH_EMULATOR_HOST: '',
      // Node's own clients use the proxy too when this is set.
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
      NODE_EXTRA_CA_CERTS: roots,
    },
    accessToken,
    grants,
    authCalls,
    failWith(next) {
      fault = next;
    },
    close() {
      services.closeAllConnections();
      services.close();
      proxy.close();
    },
  };
}
