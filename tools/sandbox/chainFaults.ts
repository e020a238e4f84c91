// Faulty responses of a chain node, and the functions that send its responses.

import type { ServerResponse } from 'node:http';

type RequestId = string | number | null;

/** Responds to one request, which has the id, in place of the chain; `next` lets the chain respond. */
export type Fault = (response: ServerResponse, next: () => void, id: RequestId) => void;

export const FAULTS = {
  rateLimited: (response) => response.writeHead(429, { 'Retry-After': '0' }).end('Too Many'),
  dropped: (response) => response.destroy(),
  droppedHalfway: (response) => {
    response.writeHead(200, { 'Content-Length': 1000 }).write('{"jsonrpc":"2.0",', () => {
      response.destroy();
    });
  },
  hanging: () => undefined,
  hangingHalfway: (response) => response.writeHead(200).write('{"jsonrpc":"2.0",'),
  unavailable: (response) => response.writeHead(503).end('no healthy backend'),
  forbidden: (response) => response.writeHead(403).end('no access'),
  unknownMethod: (response) => sendError(response, -32601, 'Method not found'),
  page: (response) => response.end('<!doctype html><title>Sign in</title>'),
  empty: (response) => response.end(),
  null: (response) => response.end('null'),
  noResult: (response, _, id) => sendJson(response, { jsonrpc: '2.0', id }),
  endless: (response) => {
    const blanks = Buffer.alloc(2 ** 20, ' ');
    const pump = (): void => {
      while (!response.destroyed && response.write(blanks));
    };
    response.writeHead(200).on('drain', pump);
    pump();
  },
  nullResult: (response, _, id) => sendResult(response, null, id),
  tooFew: (response, _, id) => sendResult(response, { context: { slot: 1 }, value: [] }, id),
  noOwner: (response, _, id) => {
    const account = { lamports: 1, data: ['', 'base64'], executable: false, rentEpoch: 0 };
    sendResult(response, { context: { slot: 1 }, value: [account] }, id);
  },
} as const satisfies Record<string, Fault>;

function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

export function sendResult(response: ServerResponse, result: unknown, id: RequestId): void {
  sendJson(response, { jsonrpc: '2.0', result, id });
}

/** @param id null if the request's id could not be read, as JSON-RPC 2.0 says */
export function sendError(
  response: ServerResponse,
  code: number,
  message: string,
  id: RequestId = null,
): void {
  sendJson(response, { jsonrpc: '2.0', error: { code, message }, id });
}
