// Serves a folder on loopback as Firebase Hosting does: superstatic, Hosting's own server, with the
// headers and rewrites of firebase.json. The Hosting emulator would first ask Google for a web app.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { server as hostingServer } from 'superstatic';
import { emulatedEndpoint } from './emulatorAddresses.ts';
import { portOf } from './freePort.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface ServedSite {
  /** Ends with a slash. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Serves a site that has been built, until `stop`.
 *
 * @param preferredPort the port; when it is taken, or left out, a free one is chosen
 * @param folder an absolute path; left out: the folder that firebase.json names
 */
export async function serveSite(preferredPort = 0, folder?: string): Promise<ServedSite> {
  const { hosting } = JSON.parse(readFileSync(`${ROOT}firebase.json`, 'utf8'));
  const listenOn = (port: number): Promise<Server> => {
    const server: Server = hostingServer({
      config: { ...hosting, ...(folder !== undefined && { public: folder }) },
      cwd: folder === undefined ? ROOT : '/',
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

/** The function sees its own name as the path, as it does behind Hosting. */
function proxyToEmulator(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = incoming;
  const outgoing = request(`${emulatedEndpoint()}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end('The Functions emulator does not answer: is it running?\n');
  });
  pipeline(incoming, outgoing, () => undefined);
}
