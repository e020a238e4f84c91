// The calls that are timed: one keep-alive connection for each client, no retries.

import { Agent } from 'node:http';
import { getResponse, type Target } from './httpCall.ts';

/** @returns the body; rejects when the status is not 200 */
export async function call(target: Target, agent: Agent): Promise<string> {
  const { status, body } = await getResponse(target, agent);
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  return body;
}

/** @returns milliseconds of each call, one after the other over one connection */
export async function timeCalls(target: Target, calls: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    const startedAt = performance.now();
    await call(target, agent);
    times.push(performance.now() - startedAt);
  }
  agent.destroy();
  return times;
}

/** Makes `calls` calls from `clients` concurrent clients. @returns milliseconds until all are done */
export async function hammer(target: Target, clients: number, calls: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let left = calls;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call(target, agent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return performance.now() - startedAt;
}
