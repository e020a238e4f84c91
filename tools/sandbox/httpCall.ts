// Makes calls for the benchmark and the tests. Reads each response completely, and never retries.

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
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

/** @returns the body; rejects if the status is not 200 */
export async function call(target: Target, agent: Agent): Promise<string> {
  const { status, body } = await getResponse(target, agent);
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  return body;
}

/** Makes `calls` calls from `clients` concurrent clients. */
export async function hammer(target: Target, clients: number, calls: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let left = calls;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call(target, agent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
}
