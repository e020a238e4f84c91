// A server with responses that the service never sends, and the third-party server to which it redirects.
// The first part of the path selects the response; the second is the client's name.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../tools/sandbox/freePort.ts';
import { GOOD, json, LIE, page, RESPONDERS, type Responder } from './responders.ts';

export interface HostileServer extends AsyncDisposable {
  /**
   * @param responseName a response in responders.ts. `recovering` succeeds after failing twice, and `patient`
   *   after failing once with Retry-After. `crowd` responds once the client has `CROWD` requests in flight.
   *   `stopping` never responds to a second request. `pausing` asks the first request to wait, and responds to
   *   the second meanwhile. `closingIdle` closes the connection after each response.
   */
  readonly url: (responseName: string, client: string) => string;
  /** The times of the requests, by response and client. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  /** The query, the key and the user agent of the requests, by response and client. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  /** The maximum number of concurrent requests of each client. */
  readonly maxConcurrent: ReadonlyMap<string, number>;
  /** The target and the key of each request to the third-party server. */
  readonly leakedRequests: readonly string[];
}

export const CROWD = 8;
/** In this time a client that sends more than `CROWD` requests would send the next. */
const CROWD_LASTS_MS = 50;
const byToken: Responder = (response, request, thirdParty) => {
  const isUnknown = request.url?.includes('token=unknown');
  const unknown = json(404, { error: 'No.', code: 'token_not_found', requestId: 'r-4' });
  (isUnknown ? unknown : json(200, GOOD))(response, request, thirdParty);
};

const SEQUENCES: Readonly<Record<string, readonly Responder[]>> = {
  recovering: [page(502), page(502)],
  patient: [page(503, { 'Retry-After': '1' })],
  stopping: [byToken, ...Array(9).fill(() => undefined)],
  pausing: [
    page(503, { 'Retry-After': '2' }),
    (...exchange) => void setTimeout(() => byToken(...exchange), 1_000),
  ],
  closingIdle: Array(60).fill((response: ServerResponse, ...rest: [IncomingMessage, string]) => {
    const { socket } = response;
    response.on('finish', () => setTimeout(() => socket?.destroy(), 5));
    byToken(response, ...rest);
  }),
};

export async function startHostileServer(): Promise<HostileServer> {
  const times = new Map<string, number[]>();
  const sent = new Map<string, string[]>();
  const open = new Map<string, number>();
  const maxConcurrent = new Map<string, number>();
  const held = new Map<string, (() => void)[]>();
  const leakedRequests: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const [, responseName = '', client = ''] = url.split('/');
    const key = `${responseName} ${client}`;
    sent.set(key, [
      ...(sent.get(key) ?? []),
      `${url.split('?')[1]} ${headers['x-poh-api-key']} ${headers['user-agent']}`,
    ]);
    const atOnce = (open.get(client) ?? 0) + 1;
    open.set(client, atOnce);
    maxConcurrent.set(client, Math.max(atOnce, maxConcurrent.get(client) ?? 0));
    response.on('close', () => open.set(client, (open.get(client) ?? 0) - 1));
    const before = times.get(key) ?? [];
    times.set(key, [...before, performance.now()]);
    const isHeld = responseName === 'crowd' && before.length < CROWD;
    const respond = SEQUENCES[responseName]?.[before.length] ?? RESPONDERS[responseName] ?? byToken;
    const answer = (): void => respond(response, request, thirdPartyUrl);
    const waiting = held.get(client) ?? [];
    if (isHeld) waiting.push(answer);
    else answer();
    held.set(client, waiting);
    if (isHeld && waiting.length === CROWD) {
      setTimeout(() => {
        for (const release of waiting) release();
      }, CROWD_LASTS_MS);
    }
  });
  const thirdParty = createServer((request, response) => {
    leakedRequests.push(`${request.url} ${request.headers['x-poh-api-key']}`);
    json(200, LIE)(response, request, '');
  });
  const port = await listen(server);
  const thirdPartyUrl = `http://localhost:${await listen(thirdParty)}`;
  return {
    url: (responseName, client) => `http://127.0.0.1:${port}/${responseName}/${client}`,
    times,
    sent,
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
