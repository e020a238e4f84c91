// A test double of one of Google's services. It responds correctly unless a test injects a fault.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Fault, type Reply, send } from '../../tools/sandbox/reply.ts';

export interface Call {
  /** The last part of the path: `batchGet`, `runQuery`, `lookup` or `token`. */
  readonly method: string;
  /** The HTTP method. */
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

export class ServiceDouble {
  /** The received calls, newest last. */
  readonly calls: Call[] = [];
  readonly #handler: Handler;
  readonly #next = new Map<string, Fault[]>();
  readonly #lasting = new Map<string, Fault>();
  inFlight = 0;
  /** The highest number of calls in flight at the same time. */
  maxInFlight = 0;

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  /** Applies the faults to the next calls, one per call. @param what the calls' method, or part of their bodies */
  failNext(what: string, ...faults: readonly Fault[]): void {
    this.#next.set(what, [...faults]);
  }

  /** Applies a fault to all matching calls from now on; undefined removes it. @param what as for `failNext` */
  failAll(what: string, fault: Fault | undefined): void {
    if (fault) this.#lasting.set(what, fault);
    else this.#lasting.delete(what);
  }

  callsOf(what: string): readonly Call[] {
    return this.calls.filter((call) => isOf(what, call));
  }

  /** A listener for a server's `request` event. */
  readonly serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    response.on('close', () => {
      this.inFlight -= 1;
    });
    // Ignored, because the function itself must notice a lost connection.
    response.on('error', () => undefined);
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return;
    const path = incoming.url ?? '';
    const method = path.split('?')[0]?.split(/[:/]/).at(-1) ?? '';
    const call = { method, verb: incoming.method ?? '', path, headers: incoming.headers, body };
    this.calls.push(call);
    await this.#faultOf(call)(response, async () => await this.#handler(call));
  };

  #faultOf(call: Call): Fault {
    for (const [what, faults] of this.#next) {
      const fault = isOf(what, call) && faults.shift();
      if (fault) return fault;
    }
    for (const [what, fault] of this.#lasting) if (isOf(what, call)) return fault;
    return send;
  }
}

const isOf = (what: string, { method, body }: Call): boolean =>
  method === what || body.includes(what);

/** Forwards calls to an emulator. @param url the base URL of the service */
export const forwardTo =
  (url: string) =>
  async ({ verb, path, body }: Call): Promise<Reply> => {
    const headers = { Authorization: 'Bearer owner', 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method: verb, headers, body: body || null });
    return { status: response.status, body: await response.text() };
  };

const replies = new Map<string, Promise<Reply>>();

/**
 * Caches the replies to equal calls, except their read time. The data does not change, and a slow emulator would
 * distort the tests.
 */
export function cached(handler: Handler): Handler {
  return async (call) => {
    const key = `${call.path} ${call.body}`;
    const reply = replies.get(key) ?? Promise.resolve(handler(call));
    replies.set(key, reply);
    const { status, body } = await reply;
    const readTime = `"readTime": "${new Date().toISOString()}"`;
    return { status, body: body.replaceAll(/"readTime"\s*:\s*"[^"]+"/g, readTime) };
  };
}
