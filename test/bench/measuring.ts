// Makes calls and reads a process's figures. Reads each response completely.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

interface Response {
  readonly status: number | undefined;
  readonly body: string;
}

interface Target {
  /** URL of the function, with its query. */
  readonly url: string;
  readonly key: string;
}

async function getResponse(target: Target, agent: Agent): Promise<Response> {
  const outgoing = get(target.url, { agent, headers: { 'X-PoH-API-Key': target.key } });
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: incoming.statusCode, body: await text(incoming) };
  } catch (error) {
    // Google's framework closes an idle connection after 5 s, which a busy machine may take between two calls.
    if (outgoing.reusedSocket) return await getResponse(target, agent);
    throw error;
  }
}

/** @returns the body; rejects if the status is not 200 */
export async function call(target: Target): Promise<string> {
  const { status, body } = await getResponse(target, new Agent());
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  return body;
}

/** Makes `calls` calls from `clients` concurrent clients. @returns how many did not get a 200 */
export async function hammer(target: Target, clients: number, calls: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let [left, failed] = [calls, 0];
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      if ((await getResponse(target, agent)).status !== 200) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return failed;
}

/** @returns the CPU milliseconds of a process's live threads so far, in user and kernel mode */
export function cpuMs(pid: number | undefined): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    // The first number is in nanoseconds; /proc/PID/stat counts in steps of 10 ms.
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** @returns the peak resident memory of a process so far, in MiB */
export function peakMemoryMiB(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
