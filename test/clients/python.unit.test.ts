// Tests the Python client in programs: with event loops, threads and processes, and at their end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../contract/endpoint.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { HTTPX, PYTHON, PYTHON_ENV } from './drivers.ts';
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

const endIn = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().replace(/\.\d+/, '');
/** When the key ends, by the process. */
const ENDS: Readonly<Record<string, string>> = { sooner: endIn(13.9), later: endIn(14.1) };
/** A wallet of the process `hang` gets no response. After the response to `forget`, all connections are lost. */
const server = createServer(({ url = '', socket }, response) => {
  const [, wallet = ''] = /\?wallet=(.*)/.exec(url) ?? [];
  const [process = ''] = wallet.split('-');
  open.set(socket, (open.get(socket) ?? new Set()).add(process));
  if (forgotten.has(socket)) lost += 1;
  else if (process === 'hang') waiting.push(wallet);
  else {
    response.writeHead(200, { 'X-PoH-Key-Ends': ENDS[process] ?? '' });
    response.end(JSON.stringify({ ...RESULT, wallet }));
  }
  if (process === 'forget') for (const each of open.keys()) forgotten.add(each);
});
server.keepAliveTimeout = 0;
const address = `http://localhost:${await listen(server)}`;
afterAll(() => server.close().closeAllConnections());

function start(program: string) {
  const code = `
import asyncio, logging, os, threading, time
from poh_attestations import AsyncClient, Client, ConnectionFailed, PohError, Unavailable
client, own = Client("${address}", "a-key", pause=0.01), AsyncClient("${address}", "a-key", pause=0.01)
logging.getLogger("poh_attestations").addHandler(logging.NullHandler())
${program}`;
  const env = { ...process.env, ...PYTHON_ENV };
  const python = spawn(PYTHON, ['-c', code], { env, timeout: 240_000 });
  return { python, printed: Promise.all([text(python.stdout), text(python.stderr)]) };
}

async function run(program: string): Promise<string[]> {
  const [stdout, stderr] = await start(program).printed;
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe.skipIf(!HTTPX)('Python', () => {
  test('one client serves several event loops and threads, also at the end of the main thread', async () => {
    const program = `
def work(results, n):
    results += [asyncio.run(own.look_up(wallet=f"{n}"))["wallet"], client.look_up(wallet=f"{n}")["wallet"]]
def late():
    threading.main_thread().join()
    print(client.look_up(wallet="w")["wallet"])
    print([found.result["wallet"] for found in client.look_up_many([{"wallet": "w"}])])
    try: asyncio.run(own.look_up(wallet="w"))
    except (PohError, RuntimeError): pass # Python runs no event loops any more.
results, threads = [], []
for n in range(8): threads.append(threading.Thread(target=work, args=(results, n)))
for each in threads: each.start()
for each in threads: each.join()
print(sorted(results) == sorted([str(n) for n in range(8)] * 2))
async def source():
    yield {"wallet": "a"}
    await asyncio.sleep(3600)
async def leave():
    async for found in own.look_up_many(source()):
        print(found.total, found.result["wallet"], len(asyncio.all_tasks()))
        break
    await asyncio.sleep(0.5)
    print(len(asyncio.all_tasks()), *(found.total for found in client.look_up_many({"wallet": n} for n in "ab")))
asyncio.run(leave())
threading.Thread(target=late).start()`;
    expect(await run(program)).toEqual(['True', 'None a 2', '1 None None', 'w', "['w']"]);
  });

  test('loses one lookup, whatever the number of lost connections', async () => {
    const program = `
list(client.look_up_many([{"wallet": f"w{n}"} for n in range(64)]))
client.look_up(wallet="forget")
try: client.look_up(wallet="w", timeout=1)
except ConnectionFailed: print("lost")
for n in range(3): print(client.look_up(wallet=f"w{n}")["wallet"])`;
    expect(await run(program)).toEqual(['lost', 'w0', 'w1', 'w2']);
    expect(lost, 'lost connections').toBe(1);
  });

  test('lookups that are cancelled or late, and batches that are left, leave no socket', async () => {
    const program = `
import gc, resource
gc.disable()
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
client, own = Client("${address}", "a-key", timeout=3600), AsyncClient("${address}", "a-key", timeout=3600)
def count(): return len(os.listdir("/proc/self/fd"))
async def cancelled(n):
    try: await asyncio.wait_for(own.look_up(wallet=f"hang-{n}"), 0.4)
    except asyncio.TimeoutError: pass
async def main():
    before = count()
    for _ in range(6): await asyncio.gather(*(cancelled(n) for n in range(50)))
    for _ in range(10):
        async for found in own.look_up_many([{"wallet": "w"}] * 50): break
    print((await own.look_up(wallet="w"))["wallet"])
    async with own: await own.look_up(wallet="w")
    while count() > before: await asyncio.sleep(0.1) # A connection that is just made is closed after that.
asyncio.run(main())
before = count()
for n in range(20): asyncio.run(own.look_up(wallet="w"))
asyncio.run(own.aclose())
for n in range(5):
    for found in client.look_up_many([{"wallet": "w"}, *[{"wallet": "hang"}] * 20]): break
    try: client.look_up(wallet="hang", timeout=0.1)
    except ConnectionFailed: pass
with client: client.look_up(wallet="w")
while count() > before: time.sleep(0.1)
print("none")`;
    expect(await run(program)).toEqual(['w', 'none']);
  });

  test('at most 500 requests are in flight, and others follow those that are cancelled', async () => {
    const program = `
async def main():
    lookups = [asyncio.ensure_future(own.look_up(wallet=f"hang-{n}", timeout=3600)) for n in range(550)]
    while threading.active_count() < 501: await asyncio.sleep(0.1)
    await asyncio.sleep(0.5) # More would start meanwhile.
    print(threading.active_count() - 1)
    for each in lookups[:30] + lookups[520:]: each.cancel()
    print((await own.look_up(wallet="w"))["wallet"])
    for each in lookups: each.cancel()
asyncio.run(main())`;
    expect(await run(program)).toEqual(['500', 'w']);
  });

  test('an address that does not answer leaves time for the next address of its name', async () => {
    const program = `
import socket
port = int("${address}".rpartition(":")[2])
full = socket.create_server(("127.0.0.2", port), backlog=0)
waiting = [socket.socket() for _ in range(4)]
for each in waiting: each.setblocking(False); each.connect_ex(("127.0.0.2", port))
socket.getaddrinfo = lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{n}", port)) for n in (2, 1)]
print(client.look_up(wallet="w")["wallet"])`;
    expect(await run(program)).toEqual(['w']);
  });

  test('a failure of its own transport shows no subject, and a mistake of the program is named', async () => {
    const program = `
import httpx, socket, traceback
from poh_attestations.testing import answering
transport = httpx.MockTransport(lambda request: {}["typo"])
def fail(request): raise httpx.ConnectError(f"for {request.url}")
try: Client("${address}", "a-key", pause=0, transport=httpx.MockTransport(fail)).look_up(token="nobody-may-see-this")
except ConnectionFailed: print("nobody" in traceback.format_exc())
def unknown(request): raise httpx.ConnectError("no") from socket.gaierror(socket.EAI_NONAME, "no")
def attempt(work):
    try: work()
    except Exception as error: print(type(error).__name__, error)
attempt(lambda: Client("${address}", "a-key", transport=transport).look_up(wallet="w"))
attempt(lambda: asyncio.run(AsyncClient("${address}", "a-key", transport=transport).look_up(wallet="w")))
attempt(lambda: AsyncClient("${address}", "a-key", transport=httpx.AsyncHTTPTransport(verify=False)))
attempt(lambda: Client("${address}", "a-key", transport=httpx.MockTransport(unknown)).look_up(wallet="w"))
attempt(lambda: client.look_up(wallet=b"w"))
attempt(lambda: answering({"t": "token_not_fond"}))
attempt(lambda: own.look_up(wallet="w").send(None)) # as under trio
os.environ["SSL_CERT_FILE"] = "/nowhere"
attempt(lambda: Client("https://poh.example", "a-key"))
print(Client("${address}", "a-key").look_up(wallet="w")["wallet"])
os.environ.update(POH_URL="${address}", POH_KEY="a-key")
with Client() as poh: print(poh.look_up(wallet="w")["wallet"])`;
    expect(await run(program)).toEqual([
      'False',
      "KeyError 'typo'",
      "KeyError 'typo'",
      'TypeError transport is not an httpx.BaseTransport, which both clients need.',
      expect.stringMatching(/^ConnectionFailed .* the name of localhost:\d+ is not known\. Check/),
      'TypeError The wallet is not a str.',
      "ValueError 'token_not_fond' is not an answer of the service.",
      expect.stringMatching(/^RuntimeError AsyncClient needs asyncio\./),
      expect.stringMatching(/^ValueError SSL_CERT_FILE=\/nowhere .*cannot be used/),
      ...['w', 'w'],
    ]);
  });

  test('pauses before the second attempt, twice as long before each further one, and half as long more by chance', async () => {
    const program = `
import httpx, inspect, random
random.random = lambda: 0.5
times = []
def fail(request):
    times.append(time.monotonic())
    raise httpx.ConnectError("no")
try: Client("${address}", "a-key", pause=0.2, transport=httpx.MockTransport(fail)).look_up(wallet="w")
except ConnectionFailed: print([later - sooner >= pause for sooner, later, pause in zip(times, times[1:], (0.3, 0.5, 0.9))])
def defaults(kind):
    for method in kind, kind.look_up, kind.look_up_many:
        yield {each.name: each.default for each in inspect.signature(method).parameters.values() if type(each.default) in (int, float)}
print(*defaults(Client))
print([*defaults(Client)] == [*defaults(AsyncClient)])`;
    const defaults = "{'timeout': 15, 'pause': 1} {} {'at_once': 16, 'max_wait': 3600}";
    expect(await run(program)).toEqual(['[True, True, True]', defaults, 'True']);
  });

  test('uses the certificates and the proxy that the environment names', async () => {
    const program = `
import ssl
create = ssl.create_default_context
ssl.create_default_context = lambda **files: print(files) or create(**files)
for name in [*os.environ]:
    if name.startswith("SSL_") or name.lower().endswith("_proxy"): del os.environ[name]
os.environ["SSL_CERT_DIR"] = "/certificates"
Client("https://poh.example", "a-key")
os.environ["ALL_PROXY"] = "ftp://proxy"
try: Client("https://poh.example", "a-key")
except ValueError as error: print(error)`;
    expect(await run(program)).toEqual([
      "{'cafile': None, 'capath': '/certificates'}",
      expect.stringMatching(/^The proxy in HTTPS_PROXY or ALL_PROXY is unusable/),
    ]);
  });

  test('the transport for tests gives each answer to both clients', async () => {
    const program = `
from poh_attestations import wallet_mark
from poh_attestations.testing import answering
answers = {"i": "human", "h": "human", "p": "pending", "n": "nobody", "u": "unreachable", "c": "unauthorized", "v": {"votedCount": 7}}
settings = {"pause": 0, "transport": answering(answers)}
blocking, own = Client("https://poh.example", "a-key", **settings), AsyncClient("https://poh.example", "a-key", **settings)
for work in blocking.look_up, lambda **subject: asyncio.run(own.look_up(**subject)):
    for subject in {"wallet": "h"}, {"token": "p"}, {"email": "n"}, {"token": "v"}, *({"token": each} for each in "ucx"):
        try: print({name: value for name, value in work(**subject).items() if name in ("hasVerifiedHuman", "votedCount", "count")})
        except PohError as error: print(type(error).__name__, error.code)
print(wallet_mark(blocking.look_up(wallet="h")) == wallet_mark(blocking.look_up(wallet="i")))`;
    const [human, voter] = [
      "{'count': 1, 'hasVerifiedHuman': True, 'votedCount': 0}",
      "{'count': 1, 'hasVerifiedHuman': True, 'votedCount': 7}",
    ];
    const [pending, nobody] = ['1', '0'].map(
      (count) => `{'count': ${count}, 'hasVerifiedHuman': False, 'votedCount': 0}`,
    );
    const failures = [
      'ConnectionFailed ',
      'KeyRefused unauthorized',
      'SubjectRefused token_not_found',
    ];
    const printed = [human, pending, nobody, voter, ...failures];
    expect(await run(program)).toEqual([...printed, ...printed, 'False']);
  });

  test('warns once in a process that the key ends soon', async () => {
    const program = `
class Log(logging.Handler):
    def emit(self, record): print(record.levelname, record.getMessage())
logging.getLogger().handlers = [Log()]
for wallet in "later", "sooner", "sooner", "never":
    client.look_up(wallet=wallet)
    print(client.key_ends and client.key_ends.isoformat())`;
    const [sooner = '', later] = Object.values(ENDS).map((end) => end.replace('Z', '+00:00'));
    const warning = `WARNING The API key ends at ${sooner}. Ask an admin of the service to rotate it.`;
    expect(await run(program)).toEqual([later, warning, sooner, sooner, 'None']);
  });

  test('processes share a client after a fork, but not its connections', async () => {
    const program = `
children = []
for n in range(6):
    # Immediately after a lookup, which is the worst moment.
    client.look_up(wallet="parent-0")
    if not (child := os.fork()):
        wallets = " ".join(client.look_up(wallet=f"child{n}-{i}")["wallet"] for i in range(6))
        print(f"{wallets}\\n", end="", flush=True) # In one write, because other children print meanwhile.
        os._exit(0)
    children.append(child)
for child in children: os.waitpid(child, 0)
client.look_up(wallet="parent-1")`;
    const wallets = (await run(program)).flatMap((line) => line.split(' '));
    expect(new Set(wallets)).toHaveProperty('size', 36);
    expect([...open.values()].filter(({ size }) => size !== 1)).toEqual([]);
  });

  test('a transport of its user that does not return delays nobody, and not the end', async () => {
    const program = `
import httpx
class Deaf(httpx.BaseTransport):
    def handle_request(self, request): time.sleep(3600)
    def close(self): print("closed")
client, own = (kind("${address}", "a-key", transport=Deaf()) for kind in (Client, AsyncClient))
limited = {"wallet": "w", "timeout": 0.1}
for work in lambda: client.look_up(**limited), lambda: asyncio.run(own.look_up(**limited)):
    try: work()
    except Unavailable as error: print(error)
client.close()`;
    const printed = 'Attempt 1 of 4 failed (no response within 0.1 s). Try again later.';
    expect(await run(program)).toEqual([printed, printed, 'closed']);
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
