// The network in front of a server: relays connections, and loses, cuts, holds or refuses them.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../sandbox/freePort.ts';

/**
 * What happens to a new connection.
 * - `silent`: it is accepted, and everything sent over it is lost;
 * - `reset`: it is reset once it sends something.
 */
export type Route = 'delivered' | 'silent' | 'reset';

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  isLost: boolean;
}

export class Relay {
  readonly #server = createServer((near) => this.#accept(near));
  readonly #target: { readonly host: string; readonly port: number };
  readonly #connections = new Set<Connection>();
  readonly #held: (() => void)[] = [];
  #route: Route = 'delivered';
  #isFrozen = false;
  readonly #address: string;
  #port: number;

  private constructor(target: string, address: string, port: number) {
    const [host = '', targetPort] = target.split(':');
    this.#target = { host, port: Number(targetPort) };
    this.#address = address;
    this.#port = port;
  }

  /** @param target host:port */
  static async to(target: string | undefined, address = '127.0.0.1', port = 0): Promise<Relay> {
    const relay = new Relay(target ?? '', address, port);
    await relay.restore();
    return relay;
  }

  /** host:port, for an emulator variable. */
  get host(): string {
    return `${this.#address}:${this.#port}`;
  }

  /** host:port of what it relays to. */
  get target(): string {
    return `${this.#target.host}:${this.#target.port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** How many connections are open. */
  get open(): number {
    return this.#connections.size;
  }

  /** How many lost connections the function has not given up. */
  get lost(): number {
    return [...this.#connections].filter(({ isLost }) => isLost).length;
  }

  /** How new connections are routed from now on. */
  route(route: Route): void {
    this.#route = route;
  }

  /** Everything on the present connections is lost from now on, and neither side is told. */
  lose(): void {
    for (const connection of this.#connections) connection.isLost = true;
  }

  /** The present connections are reset. */
  reset(): void {
    for (const { near } of this.#connections) near.resetAndDestroy();
  }

  /** The present connections are ended. */
  end(): void {
    for (const { near } of this.#connections) near.end();
  }

  /** Connections are accepted and kept, but no data passes until `thaw`. */
  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const write of this.#held.splice(0)) write();
  }

  /** Every connection is dropped and new ones are refused until `restore`. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { near } of this.#connections) near.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    this.#server.listen(this.#port, this.#address);
    await once(this.#server, 'listening');
    this.#port = portOf(this.#server);
  }

  async close(): Promise<void> {
    this.thaw();
    if (this.#server.listening) await this.refuse();
  }

  #accept(near: Socket): void {
    const route = this.#route;
    const far = connect(this.#target);
    const connection = { near, far, isLost: route === 'silent' };
    this.#connections.add(connection);
    near.on('close', () => {
      this.#connections.delete(connection);
      far.destroy();
    });
    // A connection that goes away is for the function to notice.
    for (const socket of [near, far]) socket.on('error', () => undefined);
    far.on('close', () => connection.isLost || near.destroy());
    if (route === 'reset') near.once('data', () => near.resetAndDestroy());
    this.#pass(near, far, connection);
    this.#pass(far, near, connection);
  }

  #pass(from: Socket, to: Socket, connection: Connection): void {
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
