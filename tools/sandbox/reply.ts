// The replies of the servers that tests and the demonstration run, and the faults that tests put in their place.

import type { ServerResponse } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/**
 * Handles a call in place of its normal reply.
 *
 * @param reply returns the normal reply
 */
export type Fault = (response: ServerResponse, reply: () => Promise<Reply>) => unknown;

/** Sends the reply chunked, as Google sends JSON. */
export const send: Fault = async (response, reply) => {
  const { status, body } = await reply();
  if (response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8' });
  response.write(body);
  response.end();
};
