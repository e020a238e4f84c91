// A server with responses that the service never sends, which redirects to another name of itself.

import { createServer } from 'node:http';
import { listen } from '../../tools/sandbox/freePort.ts';
import { LIE, RESPONSES, type Responder, respond, TO_MANY } from './responses.ts';

interface Received {
  /** By `performance.now()`. */
  readonly at: number;
  /** Its query, key and user agent. */
  readonly sent: string;
}

export interface HostileServer extends AsyncDisposable {
  /** @param name of the responses @param client distinguishes clients that get the same responses */
  readonly url: (name: string, client: string) => string;
  readonly requests: (name: string, client: string) => readonly Received[];
  /** The maximum number of concurrent requests, by the name of the responses and the client. */
  readonly maxConcurrent: ReadonlyMap<string, number>;
  /** The target, which names the client, and the key of each request that followed a redirect. */
  readonly leakedRequests: readonly string[];
}

export async function startHostileServer(): Promise<HostileServer> {
  const received = new Map<string, Received[]>();
  const open = new Map<string, number>();
  const maxConcurrent = new Map<string, number>();
  const leakedRequests: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const [, name = '', client = ''] = url.split('/');
    if (name === 'redirected') {
      leakedRequests.push(`${url} ${headers['x-poh-api-key']}`);
      return void response.end(LIE);
    }
    const key = `${name} ${client}`;
    const before = received.get(key) ?? [];
    const sent = `${url.split('?')[1]} ${headers['x-poh-api-key']} ${headers['user-agent']}`;
    received.set(key, [...before, { at: performance.now(), sent }]);
    const atOnce = (open.get(key) ?? 0) + 1;
    open.set(key, atOnce);
    maxConcurrent.set(key, Math.max(atOnce, maxConcurrent.get(key) ?? 0));
    response.on('close', () => open.set(key, (open.get(key) ?? 0) - 1));
    const responders = TO_MANY[name] ?? (RESPONSES[name]?.slice(0, -1) as Responder[]);
    respond(responders[before.length] ?? responders.at(-1) ?? [404], response);
  });
  const port = await listen(server);
  return {
    url: (name, client) => `http://127.0.0.1:${port}/${name}/${client}`,
    requests: (name, client) => received.get(`${name} ${client}`) ?? [],
    maxConcurrent,
    leakedRequests,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}
