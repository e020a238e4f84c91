// Stands in for Firebase Authentication, and never finishes a response.

import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../doubles/listen.ts';

/** What every call gets: no response, or a body without an end. */
export type AccountFault = 'hanging' | 'endless';

export interface EndlessAccounts {
  /** host:port, for FIREBASE_AUTH_EMULATOR_HOST. */
  readonly host: string;
  /** How many calls have arrived. */
  calls(): number;
  /** How many of them are in flight. */
  callsInFlight(): number;
  /** The bytes sent so far. */
  sent(): number;
  close(): void;
}

const CHUNK = Buffer.alloc(64 * 1024, ' ');

export async function createEndlessAccounts(fault: AccountFault): Promise<EndlessAccounts> {
  let calls = 0;
  let inFlight = 0;
  let sent = 0;
  const send = (response: ServerResponse): void => {
    while (!response.destroyed) {
      sent += CHUNK.length;
      if (!response.write(CHUNK)) break;
    }
  };
  const server = createServer((_, response) => {
    calls += 1;
    inFlight += 1;
    response.on('close', () => {
      inFlight -= 1;
    });
    if (fault === 'hanging') return;
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.on('drain', () => send(response));
    send(response);
  });
  return {
    host: `127.0.0.1:${await listen(server)}`,
    calls: () => calls,
    callsInFlight: () => inFlight,
    sent: () => sent,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
