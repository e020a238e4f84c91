// Tests the Python client in programs: with event loops, threads, processes and proxies, and at their end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../tools/sandbox/freePort.ts';
import { PYTHON_ENV } from './drivers.ts';
import { HTTPX } from './httpx.ts';
import { RESULT } from './responses.ts';

/** Connections that the network has forgotten, so nothing arrives any more. */
const forgotten = new Set<Socket>();
/** The processes whose requests arrived on each connection. A wallet is PROCESS-NUMBER. */
const open = new Map<Socket, Set<string>>();
let lost = 0;
let waiting: string[] = [];
beforeEach(() => {
  lost = 0;
  waiting = [];
  open.clear();
});

/** A wallet of the process `hang` gets no response. After the response to `forget`, all connections are lost. */
const server = createServer(({ url = '', socket }, response) => {
  const [, wallet = ''] = /\?wallet=(.*)/.exec(url) ?? [];
  const [process = ''] = wallet.split('-');
  open.set(socket, (open.get(socket) ?? new Set()).add(process));
  if (forgotten.has(socket)) lost += 1;
  else if (process === 'hang') waiting.push(wallet);
  else response.end(JSON.stringify({ ...RESULT, wallet }));
  if (process === 'forget') for (const each of open.keys()) forgotten.add(each);
});
server.keepAliveTimeout = 0;
const address = `http://localhost:${await listen(server)}`;
afterAll(() => server.close().closeAllConnections());

function start(program: string, env: Readonly<Record<string, string>> = {}) {
  const code = `
import asyncio, os, threading, time, traceback
from poh_attestations import AsyncClient, Client, PohError, UnavailableError
client, own = Client("${address}", "a-key", pause=0.01), AsyncClient("${address}", "a-key", pause=0.01)
${program}`;
  const variables = { ...process.env, ...PYTHON_ENV, ...env };
  const python = spawn('python3', ['-c', code], { env: variables, timeout: 60_000 });
  return { python, printed: Promise.all([text(python.stdout), text(python.stderr)]) };
}

async function run(program: string, env?: Readonly<Record<string, string>>): Promise<string[]> {
  const [stdout, stderr] = await start(program, env).printed;
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe.skipIf(!HTTPX)('Python', () => {
  test('hanging lookups do not delay an event loop, and end with its cancellation', async () => {
    const program = `
own = AsyncClient("${address}", "a-key", timeout=3600)
async def many():
    async for found in own.look_up_many([{"wallet": f"hang-{n}"} for n in range(9)]): pass
async def main():
    tasks = [asyncio.create_task(work) for work in [many(), *(own.look_up(wallet="hang") for _ in range(40))]]
    await asyncio.sleep(0.5)
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)
    for task in tasks: task.cancel()
    print({type(each).__name__ for each in await asyncio.gather(*tasks, return_exceptions=True)})
    while len(asyncio.all_tasks()) > 1: await asyncio.sleep(0) # The batch ends in the next rounds of the loop.
    print((await own.look_up(wallet="w"))["wallet"])
    await own.aclose()
asyncio.run(main())`;
    expect(await run(program)).toEqual(["{'CancelledError'}", 'w']);
  });

  test('one client serves several event loops and threads', async () => {
    const program = `
def work(results, n):
    results += [asyncio.run(own.look_up(wallet=f"{n}"))["wallet"], client.look_up(wallet=f"{n}")["wallet"]]
results, threads = [], []
for n in range(8): threads.append(threading.Thread(target=work, args=(results, n)))
for each in threads: each.start()
for each in threads: each.join()
print(sorted(results) == sorted([str(n) for n in range(8)] * 2))`;
    expect(await run(program)).toEqual(['True']);
  });

  test('loses one attempt, whatever the number of lost connections', async () => {
    const program = `
list(client.look_up_many([{"wallet": f"w{n}"} for n in range(64)]))
client.look_up(wallet="forget")
for n in range(4): print(client.look_up(wallet=f"w{n}", timeout=8)["wallet"])`;
    expect(await run(program)).toEqual(['w0', 'w1', 'w2', 'w3']);
    expect(lost).toBe(1);
  });

  test('processes share a client after a fork, but not its connections', async () => {
    const program = `
children = []
for n in range(6):
    # Immediately after a lookup, which is the worst moment.
    client.look_up(wallet="parent-0")
    if not (child := os.fork()):
        print(*[client.look_up(wallet=f"child{n}-{i}")["wallet"] for i in range(6)], flush=True)
        os._exit(0)
    children.append(child)
for child in children: os.waitpid(child, 0)
client.look_up(wallet="parent-1")`;
    const wallets = (await run(program)).flatMap((line) => line.split(' '));
    expect(new Set(wallets)).toHaveProperty('size', 36);
    expect([...open.values()].filter(({ size }) => size !== 1)).toEqual([]);
  });

  test('uses a transport of its user, and does not follow redirects with it', async () => {
    const program = `
import httpx
transport = httpx.MockTransport(lambda request: httpx.Response(302, headers={"Location": "${address}"}))
client, own = (kind("${address}", "a-key", transport=transport) for kind in (Client, AsyncClient))
subjects = [{"wallet": "w"}] * 20
async def many(): return [found async for found in own.look_up_many(subjects)]
for work in lambda: list(client.look_up_many(subjects)), lambda: asyncio.run(many()):
    try: work()
    except PohError as error: print(error.code)`;
    expect(await run(program)).toEqual(['not_the_service', 'not_the_service']);
    expect(open.size).toBe(0);
  });

  test('ends a lookup with its cancellation or deadline, even if the transport goes on', async () => {
    const program = `
import httpx
class Deaf(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request):
        try: await asyncio.sleep(3600)
        except asyncio.CancelledError: await asyncio.sleep(3600)
async def main():
    client = AsyncClient("${address}", "a-key", timeout=3600, transport=Deaf())
    task = asyncio.create_task(client.look_up(wallet="w"))
    await asyncio.sleep(0.1)
    task.cancel()
    try: await task
    except asyncio.CancelledError: print("cancelled")
    try: await client.look_up(wallet="w", timeout=0.1)
    except UnavailableError: print("late")
asyncio.run(main())`;
    expect(await run(program)).toEqual(['cancelled', 'late']);
  });

  test('refuses an unusable proxy without showing its password', async () => {
    const program = `
import itertools
proxies = ["http://u:hunter2#x@proxy:3128", "http://u:hunter2/x@proxy:3128", "http://u:hunter2@proxy:port",
    "http://u:hunter2@[proxy:3128", "ftp://u:hunter2@proxy:3128", "socks5://u:hunter2@proxy:3128"]
for os.environ["HTTPS_PROXY"], kind in itertools.product(proxies, [Client, AsyncClient]):
    try: print(kind("https://poh.example", "a-key"))
    except ValueError: print(traceback.format_exc().replace("\\n", " "))`;
    const messages = await run(program, { NO_PROXY: '' });
    expect(messages).toHaveLength(12);
    for (const message of messages) {
      expect(message).toMatch(
        /ValueError: The proxy in HTTPS_PROXY or ALL_PROXY is unusable\. Set/,
      );
      expect(message).not.toContain('hunter2');
    }
  });

  test('looks up after the end of the main thread, or fails as documented', async () => {
    const program = `
def work():
    threading.main_thread().join()
    print(client.look_up(wallet="w")["wallet"])
    print([found.result["wallet"] for found in client.look_up_many([{"wallet": "w"}])])
    try: asyncio.run(own.look_up(wallet="w"))
    except PohError: pass
threading.Thread(target=work).start()`;
    expect(await run(program)).toEqual(['w', "['w']"]);
  });

  test('a deadline ends a lookup before a longer pause', async () => {
    const program = `
try: Client("http://127.0.0.1:49151", "a-key", pause=3600).look_up(wallet="w")
except UnavailableError as error: print(error)`;
    expect(await run(program)).toEqual([expect.stringMatching(/^Attempt 1 of 4 failed .*refused/)]);
  });

  test('a list is not a subject', async () => {
    const program = `
try: client.look_up(token=["t"])
except ValueError as error: print(error)`;
    expect(await run(program)).toEqual([expect.stringMatching('must be strings')]);
  });

  test('sends nothing more once its user has left the loop of many lookups', async () => {
    const program = `
client = Client("${address}", "a-key", timeout=0.4, pause=0.01)
for found in client.look_up_many([{"wallet": "w"}, {"wallet": "hang"}]): break
time.sleep(1)
print(found.result["wallet"])`;
    expect(await run(program)).toEqual(['w']);
    expect(waiting).toHaveLength(1);
  });

  test('ends many lookups with Ctrl-C, without waiting for those in flight', async () => {
    const { python, printed } = start(`
client = Client("${address}", "a-key", timeout=3600)
for found in client.look_up_many([{"wallet": f"hang-{n}"} for n in range(20)]): pass`);
    await expect.poll(() => waiting, { timeout: 20_000 }).toHaveLength(16);
    // A failure to wait would end the program meanwhile.
    await pause(200);
    python.kill('SIGINT');
    await once(python, 'exit');
    expect((await printed)[1]).toMatch(/KeyboardInterrupt\s*$/);
  });
});
