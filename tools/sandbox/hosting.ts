// Serves a folder on loopback as Firebase Hosting does, with Hosting's server (superstatic) and the headers
// and rewrites of firebase.json. The Hosting emulator is not used, because it first asks Google for a web app.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { server as hostingServer } from 'superstatic';
import { CONSOLE_FOLDERS, EMULATED_ENDPOINT, EMULATOR_PORTS } from './emulatorAddresses.ts';
import { portOf } from './freePort.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface ServedSite {
  /** Ends with a slash. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

interface Site {
  readonly target: string;
  readonly public: string;
  readonly headers: { source: string; headers: { key: string; value: string }[] }[];
}

function readConfig(target: string): Site {
  const { hosting } = JSON.parse(readFileSync(`${ROOT}firebase.json`, 'utf8'));
  return hosting.find((site: Site) => site.target === target);
}

/**
 * Serves the built site for integrators until `stop`.
 *
 * @param preferredPort a free port is used if this one is taken or omitted
 * @param folder an absolute path; by default the folder in firebase.json
 * @param endpoint the function's address, without a slash at its end; by default in the Functions emulator
 */
export function serveSite(
  preferredPort = 0,
  folder?: string,
  endpoint?: string,
): Promise<ServedSite> {
  const config = readConfig('site');
  const site = { ...config, public: folder ?? `${ROOT}${config.public}` };
  return serve(site, preferredPort, endpoint);
}

/**
 * Serves a build of the admin area and the identity-proof area until `stop`. Adds the emulators to the
 * Content-Security-Policy, because the pages of their build call them instead of Google.
 *
 * @param preferredPort a free port is used if this one is taken or omitted
 */
export function serveConsole(
  preferredPort = 0,
  folder: string = CONSOLE_FOLDERS.emulators,
): Promise<ServedSite> {
  const config = readConfig('console');
  const emulators = Object.values(EMULATOR_PORTS).map((port) => `http://127.0.0.1:${port}`);
  const headers = config.headers.map((rule) => ({
    source: rule.source,
    headers: rule.headers.map(({ key, value }) => ({
      key,
      value: value.replace('connect-src', `connect-src ${emulators.join(' ')}`),
    })),
  }));
  return serve({ ...config, headers, public: `${ROOT}${folder}` }, preferredPort);
}

/** @param config with `public` as an absolute path */
async function serve(
  config: Site,
  preferredPort: number,
  endpoint = EMULATED_ENDPOINT,
): Promise<ServedSite> {
  const listenOn = (port: number): Promise<Server> => {
    const app = hostingServer({
      config,
      cwd: '/',
      compression: true,
      // There is only one function.
      rewriters: { function: async () => proxyTo(endpoint) },
      hostname: '127.0.0.1',
      port,
    });
    const server: Server = app.listen(() => undefined);
    // Rejects if the port is taken.
    return once(server, 'listening').then(() => server);
  };
  const server = await listenOn(preferredPort).catch(() => listenOn(0));
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
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
      if (response.destroyed) return;
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
