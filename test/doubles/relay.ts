// The network in front of a server. Relays connections, and can lose, end or refuse them.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../tools/sandbox/freePort.ts';

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  isLost: boolean;
}

export class Relay {
  readonly #server = createServer((client) => this.#accept(client));
  /** The port of the server behind the relay. */
  readonly #target: number;
  readonly #connections = new Set<Connection>();
  /** Whether all data of new connections is lost. */
  isSilent = false;
  port = 0;

  private constructor(target: number) {
    this.#target = target;
  }

  static async to(target: number): Promise<Relay> {
    const relay = new Relay(target);
    await relay.restore();
    return relay;
  }

  /** The number of lost connections that the client has not closed. */
  get lostCount(): number {
    return [...this.#connections].filter(({ isLost }) => isLost).length;
  }

  /** Loses all data of the open connections from now on. Neither side notices. */
  lose(): void {
    for (const connection of this.#connections) connection.isLost = true;
  }

  /** Resets the open connections. */
  reset(): void {
    for (const { client } of this.#connections) client.resetAndDestroy();
  }

  /** Closes every connection and refuses new ones until `restore`. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { client } of this.#connections) client.destroy();
    await closed;
  }

  /** Accepts connections, at another address of this machine if it is given. */
  async restore(address = '127.0.0.1'): Promise<void> {
    this.#server.listen(this.port, address);
    await once(this.#server, 'listening');
    this.port = portOf(this.#server);
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.refuse();
  }

  #accept(client: Socket): void {
    const upstream = connect(this.#target, '127.0.0.1');
    const connection = { client, upstream, isLost: this.isSilent };
    this.#connections.add(connection);
    client.on('close', () => {
      this.#connections.delete(connection);
      upstream.destroy();
    });
    // Ignored, because the function itself must notice a lost connection.
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.on('close', () => connection.isLost || client.destroy());
    this.#forward(client, upstream, connection);
    this.#forward(upstream, client, connection);
  }

  #forward(from: Socket, to: Socket, connection: Connection): void {
    from.on('data', (chunk) => {
      if (connection.isLost || to.destroyed || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    from.on('end', () => connection.isLost || to.end());
  }
}
