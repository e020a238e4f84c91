// What a service may do to a call instead of replying to it.

import { gzipSync } from 'node:zlib';
import type { Fault } from './standIn.ts';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=UTF-8' } as const;

/** Sends this in place of the reply. */
export const respond =
  (status: number, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): Fault =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** @param content written as JSON, with status 200 */
export const respondJson = (content: unknown): Fault => respond(200, JSON.stringify(content));

/** Google's form of an error; Firestore's own methods send it in an array. */
export const refuse = (code: number, status = 'UNAVAILABLE', message = 'Not now.'): Fault =>
  respond(code, JSON.stringify([{ error: { code, status, message } }]));

export const refuseObject = (code: number, message: string): Fault =>
  respond(code, JSON.stringify({ error: { code, message } }));

const PAGE = '<!DOCTYPE html><title>Error</title><p>That’s an error.';
export const page = (status: number, bytes = PAGE.length): Fault =>
  respond(status, PAGE.padEnd(bytes, ' '), { 'Content-Type': 'text/html' });

/** Changes the reply. */
export const altered =
  (alter: (body: string) => string): Fault =>
  async (response, reply) => {
    const { status, body } = await reply();
    response.writeHead(status, JSON_TYPE).end(alter(body));
  };

/** There is no response. */
export const unanswered: Fault = () => undefined;

/** The response begins this much later. */
export const delayed =
  (ms: number): Fault =>
  async (response, reply) => {
    const { status, body } = await reply();
    setTimeout(() => response.writeHead(status, JSON_TYPE).end(body), ms);
  };

export const closedBeforeHeaders: Fault = (response) => response.destroy();

/** The connection ends in the middle of the body. @param isSized whether its length was announced */
export const cutOff =
  (isSized: boolean, part: 'headers' | 'half' = 'half'): Fault =>
  async (response, reply) => {
    const { status, body } = await reply();
    const length = isSized && { 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, { ...JSON_TYPE, ...length }).flushHeaders();
    const sent = part === 'half' ? body.slice(0, body.length / 2) : '';
    response.write(sent, () => setImmediate(() => response.destroy()));
  };

/** The connection is closed to mark the end of the body (HTTP/1.0's way), in the middle of it. */
export const endedEarly: Fault = async (response, reply) => {
  const { body } = await reply();
  response.socket?.end(`HTTP/1.1 200 OK\r\n\r\n${body.slice(0, body.length / 2)}`);
};

/** What follows the headers is not HTTP. */
export const brokenChunks: Fault = (response) =>
  response.socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n');

/** The body has no end; it is sent as fast as it is read. */
export const endless: Fault = (response) => {
  const send = (): void => {
    while (!response.destroyed && response.write(SPACES));
  };
  response.writeHead(200, JSON_TYPE).on('drain', send);
  send();
};
const SPACES = Buffer.alloc(64 * 1024, ' ');

/** A little of the body arrives again and again, but never the end. */
export const trickling: Fault = (response) => {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(' '), TRICKLE_MS);
  response.on('close', () => clearInterval(timer));
};
const TRICKLE_MS = 500;

const BOMB = gzipSync(Buffer.alloc(32 * 1024 ** 2, ' '));

/** A body that is 1,000 times as long once it is decompressed, although nobody asked for compression. */
export const compressed: Fault = (response) =>
  response.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(BOMB);
