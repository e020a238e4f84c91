// The calls of the benchmark and the long runs: over a keep-alive connection, read to the last byte.

import { once } from 'node:events';
import { type Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Target {
  /** URL of the function, with its query. */
  readonly url: string;
  readonly key: string;
}

export async function getResponse(
  { url, key }: Target,
  agent: Agent,
): Promise<{ status: number; body: string }> {
  const outgoing = get(url, { agent, headers: { 'X-PoH-API-Key': key } });
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: incoming.statusCode ?? 0, body: await text(incoming) };
}

export const statusOf = async (target: Target, agent: Agent): Promise<number> =>
  (await getResponse(target, agent)).status;
