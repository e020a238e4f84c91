// Serves public/ on loopback with the headers that Firebase Hosting sends in production. Its own
// emulator would serve as well, but it first asks Google for a web app and waits where it cannot.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname } from 'node:path';

const ROOT = new URL('../', import.meta.url);
const PUBLIC = new URL('public/', ROOT);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

export interface ServedPage {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The headers that firebase.json gives every file. */
function hostingHeaders(): Record<string, string> {
  const { hosting } = JSON.parse(readFileSync(new URL('firebase.json', ROOT), 'utf8'));
  const [everyFile]: [{ headers: { key: string; value: string }[] }] = hosting.headers;
  return Object.fromEntries(everyFile.headers.map(({ key, value }) => [key, value]));
}

/**
 * Serves the page that `npm run page` has made, until `stop`.
 *
 * @param preferredPort the port; when it is taken, or left out, a free one is chosen
 */
export async function servePage(preferredPort = 0): Promise<ServedPage> {
  const headers = hostingHeaders();
  const files = new Map(
    readdirSync(PUBLIC).map((name) => [`/${name}`, readFileSync(new URL(name, PUBLIC))]),
  );
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    const name = path === '/' ? '/index.html' : path;
    const file = files.get(name);
    const type = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
    response.writeHead(file ? 200 : 404, { ...headers, 'Content-Type': type }).end(file);
  });
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
