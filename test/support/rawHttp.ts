// Sends raw bytes and reads raw responses, which HTTP clients do not allow.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { timed } from './watch.ts';

/** Of a request in messages. */
const LENGTH_SHOWN = 200;

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * @param halfClose ends the client's side of the connection after the bytes
 * @returns everything received until the connection ends
 */
export async function exchange(url: string, bytes: string, halfClose = false): Promise<string> {
  const { response } = await timed(url, bytes.slice(0, LENGTH_SHOWN), async (signal) => {
    const socket = await connectTo(url);
    signal.addEventListener('abort', () => socket.destroy(signal.reason));
    if (halfClose) socket.end(bytes, 'latin1');
    else socket.write(bytes, 'latin1');
    return await text(socket);
  });
  return response;
}

export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Splits the text of a connection into responses, by their Content-Length. */
export function parseResponses(wire: string): WireResponse[] {
  const [head = '', ...rest] = wire.split('\r\n\r\n');
  if (wire === '') return [];
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), value.join(': ')];
    }),
  );
  const body = Buffer.from(rest.join('\r\n\r\n'));
  const length = Number(headers['content-length'] ?? body.length);
  return [
    {
      status: Number(statusLine.split(' ')[1]),
      headers,
      text: body.toString('utf8', 0, length),
    },
    ...parseResponses(body.toString('utf8', length)),
  ];
}
