// Serves a folder on loopback as Firebase Hosting does: superstatic, Hosting's own server, with the
// headers and rewrites of firebase.json. The Hosting emulator would first look up a web app at Google.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { server as hostingServer } from 'superstatic';
import { CONSOLE_FOLDERS, emulatedEndpoint, emulatorPorts } from './emulatorAddresses.ts';
import { portOf } from './freePort.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

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
 * Serves the site for integrators, which has been built, until `stop`.
 *
 * @param preferredPort the port; when it is taken, or left out, a free one is chosen
 * @param folder an absolute path; left out: the folder that firebase.json names
 */
export function serveSite(preferredPort = 0, folder?: string): Promise<ServedSite> {
  const config = readConfig('site');
  return serve({ ...config, public: folder ?? `${ROOT}${config.public}` }, preferredPort);
}

/**
 * Serves the admin area and the identity-proof area until `stop`: their build for the emulators,
 * which these pages may then call in place of Google.
 *
 * @param preferredPort the port; when it is taken, or left out, a free one is chosen
 */
export function serveConsole(preferredPort = 0): Promise<ServedSite> {
  const config = readConfig('console');
  const emulators = emulatorPorts().map(({ port }) => `http://127.0.0.1:${port}`);
  const headers = config.headers.map((rule) => ({
    source: rule.source,
    headers: rule.headers.map(({ key, value }) => ({
      key,
      value: value.replace('connect-src', `connect-src ${emulators.join(' ')}`),
    })),
  }));
  return serve(
    { ...config, headers, public: `${ROOT}${CONSOLE_FOLDERS.emulators}` },
    preferredPort,
  );
}

/** @param config of which `public` is an absolute path */
async function serve(config: Site, preferredPort: number): Promise<ServedSite> {
  const listenOn = (port: number): Promise<Server> => {
    const server: Server = hostingServer({
      config,
      cwd: '/',
      compression: true,
      // There is one function, and it is in the Functions emulator.
      rewriters: { function: async () => proxyToEmulator },
      hostname: '127.0.0.1',
      port,
    }).listen(() => undefined);
    // Rejects when the port is taken.
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
 * Passes a request on to the function, which sees its own name as the path, as it does behind Hosting.
 * A client may hang up at any moment: then the other side is cut off as well.
 */
function proxyToEmulator(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = incoming;
  const outgoing = request(`${emulatedEndpoint()}${url}`, { method, headers });
  outgoing.on('response', (proxied) => {
    if (response.destroyed) return;
    response.writeHead(proxied.statusCode ?? 502, proxied.headers);
    pipeline(proxied, response, () => undefined);
  });
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end('The Functions emulator does not respond: is it running?\n');
  });
  response.on('close', () => outgoing.destroy());
  pipeline(incoming, outgoing, () => undefined);
}
