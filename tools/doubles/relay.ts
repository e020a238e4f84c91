// The network in front of a server. Relays connections, and can lose, end, hold or refuse them.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../sandbox/freePort.ts';

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  isLost: boolean;
}

export class Relay {
  readonly #server = createServer((client) => this.#accept(client));
  /** host:port of the server behind the relay. */
  readonly target: string;
  readonly #connections = new Set<Connection>();
  readonly #held: (() => void)[] = [];
  /** Whether all data of new connections is lost. */
  isSilent = false;
  #isFrozen = false;
  readonly #address: string;
  port: number;

  private constructor(target: string, address: string, port: number) {
    this.target = target;
    this.#address = address;
    this.port = port;
  }

  /** @param target host:port */
  static async to(target: string | undefined, address = '127.0.0.1', port = 0): Promise<Relay> {
    const relay = new Relay(target ?? '', address, port);
    await relay.restore();
    return relay;
  }

  /** host:port, for an emulator variable. */
  get host(): string {
    return `${this.#address}:${this.port}`;
  }

  /** The number of open connections. */
  get openCount(): number {
    return this.#connections.size;
  }

  /** How many pieces of data wait for `thaw`. */
  get heldCount(): number {
    return this.#held.length;
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

  /** Holds all data until `thaw`. Connections are still accepted and kept. */
  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const write of this.#held.splice(0)) write();
  }

  /** Closes every connection and refuses new ones until `restore`. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { client } of this.#connections) client.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    this.#server.listen(this.port, this.#address);
    await once(this.#server, 'listening');
    this.port = portOf(this.#server);
  }

  async close(): Promise<void> {
    this.thaw();
    if (this.#server.listening) await this.refuse();
  }

  #accept(client: Socket): void {
    const [host, port] = this.target.split(':');
    const upstream = connect(Number(port), host);
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
      const write = (): void => {
        if (connection.isLost || to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      };
      if (this.#isFrozen) this.#held.push(write);
      else write();
    });
    from.on('end', () => connection.isLost || to.end());
  }
}
