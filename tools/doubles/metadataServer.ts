// Stands in for the platform's metadata server, which issues access tokens.

import { createServer } from 'node:http';
import { listen } from '../sandbox/freePort.ts';
import { StandIn } from './standIn.ts';

const HOUR_SECONDS = 3_600;

export interface MetadataServer {
  /** host:port, for GCE_METADATA_HOST. */
  readonly host: string;
  /** Requests for tokens are recorded as calls of the method `token`. */
  readonly service: StandIn;
  /** The issued tokens, newest last. */
  readonly tokens: readonly string[];
  /** Sets the lifetime of the tokens issued from now on. */
  setLifetime(seconds: number): void;
  close(): void;
}

export async function createMetadataServer(): Promise<MetadataServer> {
  const tokens: string[] = [];
  let lifetime = HOUR_SECONDS;
  const service = new StandIn(({ method, headers }) => {
    // Google's libraries also request other paths.
    if (method !== 'token') return { status: 404, body: '' };
    if (headers['metadata-flavor'] !== 'Google') return { status: 403, body: '' };
    const access_token = `access-token-${tokens.length + 1}`;
    tokens.push(access_token);
    const body = { access_token, expires_in: lifetime, token_type: 'Bearer' };
    return { status: 200, body: JSON.stringify(body) };
  });
  const server = createServer((request, response) => {
    response.setHeader('Metadata-Flavor', 'Google');
    void service.serve(request, response);
  });
  const port = await listen(server);
  return {
    host: `127.0.0.1:${port}`,
    service,
    tokens,
    setLifetime(seconds) {
      lifetime = seconds;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
