// A server with responses that the service never sends, and the third-party server to which it redirects.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '../../tools/sandbox/freePort.ts';
import { CROWD, LIE, RESPONSES, type Responder, TO_MANY } from './responses.ts';

/** In this time a client that sends more than `CROWD` requests would send the next. */
const CROWD_LASTS_MS = 50;

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
  /** The maximum number of concurrent requests of each client. */
  readonly maxConcurrent: ReadonlyMap<string, number>;
  /** The target, which names the client, and the key of each request to the third-party server. */
  readonly leakedRequests: readonly string[];
}

export async function startHostileServer(): Promise<HostileServer> {
  const received = new Map<string, Received[]>();
  const open = new Map<string, number>();
  const maxConcurrent = new Map<string, number>();
  const crowd = new Map<string, (() => void)[]>();
  const leakedRequests: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const [, name = '', client = ''] = url.split('/');
    const before = received.get(`${name} ${client}`) ?? [];
    const sent = `${url.split('?')[1]} ${headers['x-poh-api-key']} ${headers['user-agent']}`;
    received.set(`${name} ${client}`, [...before, { at: performance.now(), sent }]);
    const atOnce = (open.get(client) ?? 0) + 1;
    open.set(client, atOnce);
    maxConcurrent.set(client, Math.max(atOnce, maxConcurrent.get(client) ?? 0));
    response.on('close', () => open.set(client, (open.get(client) ?? 0) - 1));
    const responders = TO_MANY[name] ?? (RESPONSES[name]?.slice(0, -1) as Responder[]);
    const respond = responders[Math.min(before.length, responders.length - 1)];
    const answer = () => respond?.(response, request, `${thirdPartyUrl}/${client}`);
    const waiting = [...(crowd.get(client) ?? []), answer];
    if (name !== 'crowd' || before.length >= CROWD) answer();
    else crowd.set(client, waiting);
    if (name === 'crowd' && before.length === CROWD - 1) {
      setTimeout(() => {
        for (const release of waiting) release();
      }, CROWD_LASTS_MS);
    }
  });
  const thirdParty = createServer((request, response) => {
    leakedRequests.push(`${request.url} ${request.headers['x-poh-api-key']}`);
    response.end(LIE);
  });
  const port = await listen(server);
  const thirdPartyUrl = `http://localhost:${await listen(thirdParty)}`;
  return {
    url: (name, client) => `http://127.0.0.1:${port}/${name}/${client}`,
    requests: (name, client) => received.get(`${name} ${client}`) ?? [],
    maxConcurrent,
    leakedRequests,
    async [Symbol.asyncDispose]() {
      for (const each of [server, thirdParty]) {
        each.closeAllConnections();
        each.close();
        await once(each, 'close');
      }
    },
  };
}
