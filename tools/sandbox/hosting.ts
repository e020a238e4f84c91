// Serves a folder on loopback as Firebase Hosting does, with Hosting's server (superstatic) and the headers
// and rewrites of firebase.json. The Hosting emulator is not used, because it first asks Google for a web app.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { server as hostingServer } from 'superstatic';
import { CONSOLE_FOLDERS, EMULATED_ENDPOINT, EMULATOR_PORTS } from './emulatorAddresses.ts';
import { isFree, portOf } from './freePort.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface ServedSite {
  /** Ends with a slash. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** @param folder relative to the project, or absolute; by default the folder in firebase.json */
function configOf(target: string, folder?: string) {
  const { hosting } = JSON.parse(readFileSync(resolve(ROOT, 'firebase.json'), 'utf8'));
  const config = hosting.find((one: { target: string }) => one.target === target);
  return { ...config, public: resolve(ROOT, folder ?? config.public) };
}

/** Adds the emulators to the Content-Security-Policy, because the pages of a local build call them instead of Google. */
function withEmulators(config: object): object {
  const emulators = Object.values(EMULATOR_PORTS).map((port) => `http://127.0.0.1:${port}`);
  const policy = `connect-src ${emulators.join(' ')}`;
  return JSON.parse(JSON.stringify(config).replace('connect-src', policy));
}

/**
 * Serves the built site for integrators until `stop`.
 *
 * @param preferredPort a free port is used if this one is taken or omitted
 * @param folder an absolute path; by default the folder in firebase.json
 * @param endpoint the function's address, without a slash at its end; by default in the Functions emulator
 */
export const serveSite = (
  preferredPort?: number,
  folder?: string,
  endpoint?: string,
): Promise<ServedSite> => serve(withEmulators(configOf('site', folder)), preferredPort, endpoint);

/**
 * Serves a build of the admin area and the identity-proof area until `stop`.
 *
 * @param preferredPort a free port is used if this one is taken or omitted
 */
export function serveConsole(
  preferredPort?: number,
  folder: string = CONSOLE_FOLDERS.emulators,
): Promise<ServedSite> {
  return serve(withEmulators(configOf('console', folder)), preferredPort);
}

/** @param config with `public` as an absolute path */
async function serve(
  config: object,
  preferredPort = 0,
  endpoint = EMULATED_ENDPOINT,
): Promise<ServedSite> {
  const server: Server = hostingServer({
    config,
    cwd: '/',
    compression: true,
    // There is only one function.
    rewriters: { function: async () => proxyTo(endpoint) },
    hostname: '127.0.0.1',
    port: (await isFree(preferredPort)) ? preferredPort : 0,
  }).listen(() => undefined);
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    stop: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

/**
 * Forwards a request to the function, which sees its own name as the path, as it does behind Hosting.
 * If the client hangs up, the request to the function is aborted too.
 */
const proxyTo =
  (endpoint: string) =>
  (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(`${endpoint}${url}`, { method, headers });
    outgoing.on('response', (proxied) => {
      response.writeHead(proxied.statusCode ?? 502, proxied.headers);
      pipeline(proxied, response, () => undefined);
    });
    outgoing.on('error', () => {
      if (response.headersSent) response.destroy();
      else
        response.writeHead(502).end('The function does not respond. Check that it is running.\n');
    });
    response.on('close', () => outgoing.destroy());
    pipeline(incoming, outgoing, () => undefined);
  };
