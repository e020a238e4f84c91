// The network between the function and Google's servers: an HTTP proxy, which gRPC connects through by name,
// that can lose connections. What is lost is never delivered, and a lost connection never ends.

import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen } from './listen.ts';

/** What happens to a new connection: `silent` is accepted, and everything sent over it is lost. */
export type Route = 'delivered' | 'silent' | 'silent TLS' | 'refused';

export interface LossyNetwork {
  /** host:port of the proxy. */
  readonly host: string;
  /** How new connections are routed from now on. */
  route(route: Route): void;
  /** Everything on the present connections is lost from now on. */
  loseConnections(): void;
  /** The present connections are closed. */
  cutConnections(): void;
  /** How many connections were requested so far. */
  connectionsMade(): number;
  /** How many connections are open at the function's side. */
  connectionsOpen(): number;
  close(): void;
}

interface Connection {
  readonly near: Duplex;
  isLost: boolean;
}

/**
 * @param destination the one host:port that it connects to
 * @param port where it listens on this machine
 * @param silentTlsPort where a server listens that makes TLS connections and then sends nothing
 */
export async function createLossyNetwork(
  destination: string,
  port: number,
  silentTlsPort: number,
): Promise<LossyNetwork> {
  const connections = new Set<Connection>();
  let route: Route = 'delivered';
  let made = 0;

  const deliver = (connection: Connection, farPort: number): void => {
    const { near } = connection;
    const far = connect(farPort, '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
    pass(near, far, connection);
    pass(far, near, connection);
  };
  const proxy = createServer();
  proxy.on('connect', ({ url }: IncomingMessage, near: Socket) => {
    made += 1;
    const connection = { near, isLost: route === 'silent' };
    connections.add(connection);
    near.on('close', () => connections.delete(connection));
    // A connection that goes away is for the function to notice.
    near.on('error', () => undefined);
    near.on('end', () => connection.isLost && near.destroy());
    if (route === 'refused' || url !== destination) near.destroy();
    else if (route === 'silent') near.write('HTTP/1.1 200 OK\r\n\r\n', () => near.resume());
    else deliver(connection, route === 'silent TLS' ? silentTlsPort : port);
  });
  return {
    host: `127.0.0.1:${await listen(proxy)}`,
    route(newRoute) {
      route = newRoute;
    },
    loseConnections() {
      for (const connection of connections) connection.isLost = true;
    },
    cutConnections() {
      for (const { near } of connections) near.destroy();
    },
    connectionsMade: () => made,
    connectionsOpen: () => connections.size,
    close() {
      for (const { near } of connections) near.destroy();
      proxy.close();
    },
  };
}

/** Passes on what arrives, and the end, unless the connection is lost. */
function pass(from: Duplex, to: Duplex, connection: Connection): void {
  from.on('data', (chunk) => {
    if (connection.isLost || to.write(chunk)) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  from.on('end', () => {
    if (!connection.isLost) to.end();
  });
  from.on('error', () => undefined);
  from.on('close', () => {
    // The far side is this machine's own: it is cleared away with the near one.
    if (!connection.isLost || from === connection.near) to.destroy();
  });
}
