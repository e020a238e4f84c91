// The sockets of a gRPC client, so that they can be closed. gRPC closes a connection by waiting for
// its peer, forever when that is silent, and abandons one that is still being made.

import type { Socket } from 'node:net';
import { ChannelCredentials } from '@grpc/grpc-js';

/** A server, and the credentials that it is called with. */
export interface Peer {
  /** Host, or host:port. */
  readonly target: string;
  readonly credentials: ChannelCredentials;
}

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Credentials that keep each socket that gRPC secures with them. */
export class TrackedCredentials extends ChannelCredentials {
  readonly #credentials: ChannelCredentials;
  readonly #sockets = new Set<Socket>();
  #isDestroyed = false;

  constructor(credentials: ChannelCredentials) {
    super();
    this.#credentials = credentials;
  }

  /** Closes them all, and each that would follow. */
  destroySockets(): void {
    this.#isDestroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  override _isSecure(): boolean {
    return this.#credentials._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    ...options: Parameters<ChannelCredentials['_createSecureConnector']>
  ): Connector {
    const connector = this.#credentials._createSecureConnector(...options);
    const connect = async (socket: Socket) => {
      // Rejecting closes it.
      if (this.#isDestroyed) throw new Error('the client was replaced');
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      return await connector.connect(socket);
    };
    return {
      connect,
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }
}
