// Stands in for the platform's metadata server: issues numbered access tokens, and fails on demand.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { portOf } from '../sandbox/freePort.ts';

const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';
const HOUR_SECONDS = 3_600;

/** What a request gets in place of a token. */
const FAULTS = {
  unavailable: (response) => response.writeHead(503).end('not now'),
  forbidden: (response) => response.writeHead(403).end('no such account'),
  reset: (response) => response.destroy(),
  hanging: () => undefined,
} as const satisfies Record<string, (response: ServerResponse) => void>;
export type TokenFault = keyof typeof FAULTS;

export interface MetadataServer {
  /** host:port, for GCE_METADATA_HOST. */
  readonly host: string;
  /** The issued tokens, the latest last. */
  readonly tokens: string[];
  /** How many requests for a token have arrived. */
  readonly requests: () => number;
  /** The most of them that were in flight at once. */
  readonly mostAtOnce: () => number;
  /** What the next requests get, in turn. */
  readonly faults: TokenFault[];
  /** What all of them get from now on; undefined gives each its token. */
  failWith(fault: TokenFault | undefined): void;
  /** The lifetime of the next tokens. */
  setLifetime(seconds: number): void;
  /** How long each token takes from now on. */
  setDelay(ms: number): void;
  close(): void;
}

export async function createMetadataServer(): Promise<MetadataServer> {
  const tokens: string[] = [];
  const faults: TokenFault[] = [];
  let lasting: TokenFault | undefined;
  let lifetime = HOUR_SECONDS;
  let delayMs = 0;
  let requests = 0;
  let atOnce = 0;
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    // Google's libraries request other things as well.
    if (request.url?.split('?')[0] !== TOKEN_PATH) {
      response.writeHead(404, { 'Metadata-Flavor': 'Google' }).end();
      return;
    }
    requests += 1;
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    response.once('close', () => {
      atOnce -= 1;
    });
    const fault = faults.shift() ?? lasting;
    if (request.headers['metadata-flavor'] !== 'Google') FAULTS.forbidden(response);
    else if (fault) FAULTS[fault](response);
    else {
      const access_token = `access-token-${tokens.length + 1}`;
      tokens.push(access_token);
      response.writeHead(200, { 'Metadata-Flavor': 'Google', 'Content-Type': 'application/json' });
      const body = JSON.stringify({ access_token, expires_in: lifetime, token_type: 'Bearer' });
      setTimeout(() => response.end(body), delayMs);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${portOf(server)}`,
    tokens,
    requests: () => requests,
    mostAtOnce: () => mostAtOnce,
    faults,
    failWith(fault) {
      lasting = fault;
    },
    setLifetime(seconds) {
      lifetime = seconds;
    },
    setDelay(ms) {
      delayMs = ms;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
