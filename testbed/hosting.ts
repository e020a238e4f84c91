// Serves a folder on loopback as Firebase Hosting does: superstatic, Hosting's own server, with the
// headers and rewrites of firebase.json. The Hosting emulator would first ask Google for a web app.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import connect from 'connect';
import superstatic from 'superstatic';

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
  const app = connect().use(
    superstatic.default({ config: hosting, cwd: ROOT, compression: true, fallthrough: false }),
  );
  const server = createServer(app);
  const port = await listen(server, preferredPort).catch(() => listen(server, 0));
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  // Rejects when the port is taken.
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
