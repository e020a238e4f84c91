// Stands in for what may respond in place of the service: the platform in front of it, another
// server, or nobody. The first part of the path says which.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { lookupExamples } from '../../openapi/examples.ts';
import { DEMONSTRATION } from '../../sandbox/demonstrationData.ts';
import { portOf } from '../../sandbox/freePort.ts';

const PAGE = '<!doctype html><title>Error</title><h1>Error</h1>\n';
const BODY = JSON.stringify(lookupExamples().byEmailOrToken.value);

const page = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'Content-Type': 'text/html' }).end(PAGE);
};

const responders: Readonly<Record<string, (response: ServerResponse) => void>> = {
  busy: (response) =>
    response.writeHead(429, { 'Content-Type': 'text/plain' }).end('Rate exceeded.'),
  down: (response) => page(response, 502),
  elsewhere: (response) => page(response, 404),
  page: (response) => page(response, 200),
  silent: (response) => response.destroy(),
  cutOff: (response) => {
    const cut = BODY.slice(0, BODY.length / 2);
    response.writeHead(200, { 'Content-Length': BODY.length, 'Content-Type': 'application/json' });
    response.write(cut, () => response.destroy());
  },
  recovering: (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(BODY);
  },
};

export interface Platform {
  /** @param name which response; `recovering` gives `down` twice to each client, then the body */
  url(name: string, client: string): string;
  /** How many requests each client has made for each response. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startPlatform(): Promise<Platform> {
  const requests = new Map<string, number>();
  const server = createServer(({ url = '' }, response) => {
    const [, name = '', client = ''] = url.split('/');
    const count = (requests.get(`${name} ${client}`) ?? 0) + 1;
    requests.set(`${name} ${client}`, count);
    const respond = responders[name === 'recovering' && count < 3 ? 'down' : name];
    if (respond) respond(response);
    else page(response, 501);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: (name, client) => `http://127.0.0.1:${portOf(server)}/${name}/${client}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface NoLookup {
  readonly title: string;
  /** The variables that bring it about. */
  readonly changes: (platform: Platform, client: string) => Readonly<Record<string, string>>;
  /** What a sample has to say on standard error. */
  readonly says: RegExp;
}

const viaPlatform = (title: string, name: string, says: RegExp): NoLookup => ({
  title,
  changes: (platform, client) => ({ POH_URL: platform.url(name, client) }),
  says,
});

/** What may stand in the way of a lookup. */
export const NO_LOOKUP: readonly NoLookup[] = [
  {
    title: 'a key that is not valid',
    changes: () => ({ POH_KEY: 'not-a-key' }),
    says: /unauthorized/,
  },
  {
    title: 'an unknown token',
    changes: () => ({ TOKEN: DEMONSTRATION.unknownToken }),
    says: /token_not_found/,
  },
  viaPlatform('429 without our body', 'busy', /no response.*429/),
  viaPlatform('502 without our body', 'down', /no response.*502/),
  viaPlatform('404 without our body', 'elsewhere', /404.*POH_URL/),
  viaPlatform('200 without our body', 'page', /no response.*200/),
  viaPlatform('a connection that is closed', 'silent', /no response/),
  viaPlatform('a body that is cut off', 'cutOff', /no response/),
  {
    title: 'nobody there',
    changes: () => ({ POH_URL: 'http://127.0.0.1:1' }),
    says: /no response/,
  },
];

/** What none may say. */
export const TRACE = /Traceback|undefined|panic|goroutine|^ +at /m;
