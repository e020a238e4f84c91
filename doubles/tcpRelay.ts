// Stands between the function and an emulator, and can be cut, frozen or slowed like a network.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface TcpRelay {
  /** host:port, for an emulator variable. */
  readonly host: string;
  /** Connections are accepted and kept, but no data passes until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Whether any data is waiting to pass. */
  hasPending(): boolean;
  /** Every connection is dropped and new ones are refused until `restore`. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Delays all data by this many milliseconds; 0 releases it at once. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function relayTo(target: string | undefined): Promise<TcpRelay> {
  const [targetHost = '', targetPort] = (target ?? '').split(':');
  const sockets = new Set<Socket>();
  const pending = new Set<() => void>();
  let frozen = false;
  let delayMs = 0;

  const gate = (): Transform =>
    new Transform({
      transform(chunk, _encoding, pass) {
        const release = (): void => pass(null, chunk);
        if (frozen) pending.add(release);
        else if (delayMs > 0) {
          pending.add(release);
          setTimeout(() => pending.delete(release) && release(), delayMs);
        } else release();
      },
    });
  const server = createServer((near) => {
    const far = connect(Number(targetPort), targetHost);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      // A dropped connection is what these tests are about; both ends are closed above.
      from.on('error', () => undefined);
      from.pipe(gate()).pipe(to);
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  const releaseAll = (): void => {
    for (const release of pending) {
      pending.delete(release);
      release();
    }
  };
  const thaw = (): void => {
    frozen = false;
    releaseAll();
  };
  const cut = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    host: `127.0.0.1:${port}`,
    freeze: () => {
      frozen = true;
    },
    thaw,
    hasPending: () => pending.size > 0,
    cut,
    restore: () => listen(port),
    delay: (ms) => {
      delayMs = ms;
      if (ms === 0) releaseAll();
    },
    close: async () => {
      thaw();
      if (server.listening) await cut();
    },
  };
}
