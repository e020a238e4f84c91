// Serves a folder on loopback as Firebase Hosting does: superstatic, Hosting's own server, with the
// headers and rewrites of firebase.json. The Hosting emulator would first ask Google for a web app.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { server as hostingServer } from 'superstatic';
import { portOf } from './freePort.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface ServedSite {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Serves the site that `npm run page` has built, until `stop`.
 *
 * @param preferredPort the port; when it is taken, or left out, a free one is chosen
 */
export async function serveSite(preferredPort = 0): Promise<ServedSite> {
  const { hosting } = JSON.parse(readFileSync(`${ROOT}firebase.json`, 'utf8'));
  const listenOn = (port: number): Promise<Server> => {
    const options = { config: hosting, cwd: ROOT, compression: true, hostname: '127.0.0.1', port };
    const server: Server = hostingServer(options).listen(() => undefined);
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
