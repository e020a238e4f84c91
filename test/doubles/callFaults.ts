// Faults that a service applies to a call instead of sending its reply.

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Fault, Reply } from '../../tools/sandbox/reply.ts';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=UTF-8' } as const;

/** Sends this response instead of the reply. */
export const respond =
  (status: number, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): Fault =>
  (response) =>
    response.writeHead(status, headers).end(body);

export const respondJson = (content: unknown, status = 200): Fault =>
  respond(status, JSON.stringify(content));

/** Sends an error in Google's format. Firestore's methods wrap it in an array. */
export const refuse = (code: number, status = 'UNAVAILABLE'): Fault =>
  respondJson([{ error: { code, status, message: 'Not now.' } }], code);

const PAGE = '<!DOCTYPE html><title>Error</title><p>That’s an error.';
export const page = (status: number, bytes = PAGE.length): Fault =>
  respond(status, PAGE.padEnd(bytes, ' '), { 'Content-Type': 'text/html' });

/** Sends the reply with its body altered. */
export const altered =
  (alter: (body: string) => string | Promise<string>): Fault =>
  async (response, reply) => {
    const { status, body } = await reply();
    const altered = await alter(body);
    response.writeHead(status, JSON_TYPE).end(altered);
  };

/** Never responds. */
export const unanswered: Fault = () => undefined;

/** Responds after a delay, by default with the reply. */
export const delayed =
  (ms: number, fault = altered(String)): Fault =>
  (response, reply) =>
    setTimeout(() => fault(response, reply), ms);

export const closedBeforeHeaders: Fault = (response) => response.destroy();

/** Responds with a change of protocol that was not requested. */
export const upgraded: Fault = (response) =>
  response.socket?.end(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  );

/** Closes the connection in the middle of the response. @param isSized whether it has a Content-Length */
export const cutOff =
  (isSized: boolean): Fault =>
  async (response, reply) => {
    const { status, body } = await reply();
    const length = isSized && { 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, { ...JSON_TYPE, ...length }).flushHeaders();
    const sent = body.slice(0, body.length / 2);
    response.write(sent, () => setImmediate(() => response.destroy()));
  };

/** Sends half of the body without a Content-Length, and then closes the connection as if the body were complete. */
export const endedEarly: Fault = async (response, reply) => {
  const { body } = await reply();
  response.socket?.end(`HTTP/1.1 200 OK\r\n\r\n${body.slice(0, body.length / 2)}`);
};

/** Sends headers, and then a chunk that is not valid HTTP. */
export const brokenChunks: Fault = (response) =>
  response.socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n');

/** Sends an endless body as fast as it is read. */
export const endless: Fault = (response) => {
  const send = (): void => {
    while (!response.destroyed && response.write(SPACES));
  };
  response.writeHead(200, JSON_TYPE).on('drain', send);
  send();
};
const SPACES = Buffer.alloc(64 * 1024, ' ');

/** Sends a byte of the body every 500 ms, and never ends it. */
export const trickling: Fault = (response) => {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(' '), TRICKLE_MS);
  response.on('close', () => clearInterval(timer));
};
const TRICKLE_MS = 500;

const BOMB = gzipSync(Buffer.alloc(32 * 1024 ** 2, ' '));

/** Sends an unrequested gzip body that is 1,000 times as long when decompressed. */
export const compressed: Fault = (response) =>
  response.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(BOMB);

const toHttp = ({ status, body }: Reply): string =>
  `HTTP/1.1 ${status} OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Sends each reply twice, so that the second copy is read as the response to the next call. */
export const doubled: Fault = async (response, reply) => {
  response.socket?.write(toHttp(await reply()).repeat(2));
};

/** Exchanges the replies of each two calls. */
export function swapped(): Fault {
  let waiting: { readonly response: ServerResponse; readonly own: Reply } | undefined;
  return async (response, reply) => {
    const own = await reply();
    const first = waiting;
    waiting = first ? undefined : { response, own };
    if (!first) return;
    for (const [to, { status, body }] of [
      [response, first.own],
      [first.response, own],
    ] as const) {
      to.writeHead(status, JSON_TYPE).end(body);
    }
  };
}
