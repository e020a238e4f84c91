// Faulty responses of a chain node, and the functions that send its responses.

import type { ServerResponse } from 'node:http';

/** Responds to one request in place of the chain; `next` lets the chain respond. */
export type Fault = (response: ServerResponse, next: () => void) => void;

export const FAULTS = {
  rateLimited: (response) => response.writeHead(429, { 'Retry-After': '0' }).end('Too Many'),
  rateLimitedInBody: (response) => sendError(response, -32429, 'rate limited'),
  dropped: (response) => response.destroy(),
  droppedHalfway: (response) => {
    response.writeHead(200, { 'Content-Length': 1000 }).write('{"jsonrpc":"2.0",', () => {
      response.destroy();
    });
  },
  hanging: () => undefined,
  hangingHalfway: (response) => response.writeHead(200).write('{"jsonrpc":"2.0",'),
  unavailable: (response) => response.writeHead(503).end('no healthy backend'),
  behind: (response) => sendError(response, -32005, 'Node is behind by 42 slots'),
  forbidden: (response) => response.writeHead(403).end('no access'),
  unknownMethod: (response) => sendError(response, -32601, 'Method not found'),
  page: (response) => response.end('<!doctype html><title>Sign in</title>'),
  empty: (response) => response.end(),
  null: (response) => response.end('null'),
  noResult: (response) => sendJson(response, { jsonrpc: '2.0', id: '1' }),
  endless: (response) => {
    const blanks = Buffer.alloc(2 ** 20, ' ');
    const pump = (): void => {
      while (!response.destroyed && response.write(blanks));
    };
    response.writeHead(200).on('drain', pump);
    pump();
  },
  nullResult: (response) => sendResult(response, null),
  tooFew: (response) => sendResult(response, { context: { slot: 1 }, value: [] }),
  noOwner: (response) =>
    sendResult(response, {
      context: { slot: 1 },
      value: [{ lamports: 1, data: ['', 'base64'], executable: false, rentEpoch: 0 }],
    }),
} as const satisfies Record<string, Fault>;

function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

export function sendResult(
  response: ServerResponse,
  result: unknown,
  id: string | number = '1',
): void {
  sendJson(response, { jsonrpc: '2.0', result, id });
}

export function sendError(response: ServerResponse, code: number, message: string): void {
  sendJson(response, { jsonrpc: '2.0', error: { code, message }, id: '1' });
}
