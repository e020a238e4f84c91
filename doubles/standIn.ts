// A service that stands in for one of Google's: it responds as it should, unless a test says otherwise.

import { once } from 'node:events';
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

export interface Call {
  /** The last word of its path: `batchGet`, `runQuery`, `lookup`, `token`. */
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export type ToReply = (call: Call) => Reply | Promise<Reply>;

/**
 * What happens to a call in place of its reply.
 *
 * @param reply what would have been sent
 */
export type Fault = (response: ServerResponse, reply: () => Promise<Reply>) => unknown;

export class StandIn {
  /** The calls that have arrived, the latest last. */
  readonly calls: Call[] = [];
  readonly #reply: ToReply;
  readonly #next = new Map<string, Fault[]>();
  readonly #lasting = new Map<string, Fault>();
  #inFlight = 0;
  #mostAtOnce = 0;

  constructor(reply: ToReply) {
    this.#reply = reply;
  }

  /** What happens to the next calls of a method, or with this text in their bodies: each gets the next fault. */
  failNext(what: string, ...faults: readonly Fault[]): void {
    this.#next.set(what, [...faults]);
  }

  /** What happens to all such calls from now on; undefined ends it. */
  failAll(what: string, fault: Fault | undefined): void {
    if (fault) this.#lasting.set(what, fault);
    else this.#lasting.delete(what);
  }

  callsOf(what: string): readonly Call[] {
    return this.calls.filter((call) => isOf(what, call));
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The most calls that were in flight at once. */
  get mostAtOnce(): number {
    return this.#mostAtOnce;
  }

  /** For a server's event `request`. */
  readonly serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    this.#inFlight += 1;
    this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#inFlight);
    response.on('close', () => {
      this.#inFlight -= 1;
    });
    // A connection that goes away is for the function to notice.
    response.on('error', () => undefined);
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return;
    const path = incoming.url ?? '';
    const method = path.split('?')[0]?.split(/[:/]/).at(-1) ?? '';
    const call = { method, path, headers: incoming.headers, body };
    this.calls.push(call);
    await this.#faultOf(call)(response, async () => await this.#reply(call));
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

/** Chunked, as Google sends its JSON. */
const send: Fault = async (response, reply) => {
  const { status, body } = await reply();
  if (response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8' });
  response.write(body);
  response.end();
};

/** Passes calls on to an emulator. @param url where the service's paths begin */
export const emulated =
  (url: string) =>
  async ({ path, body }: Call): Promise<Reply> => {
    const outgoing = request(url + path, {
      method: 'POST',
      agent,
      headers: { Authorization: 'Bearer owner', 'Content-Type': 'application/json' },
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  };

const agent = new Agent({ keepAlive: true });

const replies = new Map<string, Promise<Reply>>();

/** Gives equal calls the first one's reply: what is behind does not change, and is not to be what is slow. */
export function remembered(reply: ToReply): ToReply {
  return (call) => {
    const question = `${call.path} ${call.body}`;
    const known = replies.get(question) ?? Promise.resolve(reply(call));
    replies.set(question, known);
    return known;
  };
}
