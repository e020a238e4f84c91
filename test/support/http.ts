// Asks the service: sends requests that fetch would refuse or normalize, or raw bytes, and reads what the service logs.

import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { parseJson } from '../../cli/terminal/parseJson.ts';
import { EMULATED_ENDPOINT } from '../../tools/sandbox/emulatorAddresses.ts';
import { requireContract } from './contract.ts';
import { record, recordUsed } from './usedValues.ts';
import { type Times, timed } from './watch.ts';

export interface RawRequest {
  readonly method?: string;
  /** Appended to the endpoint without encoding. */
  readonly target?: string;
  /** Sent as X-PoH-API-Key in UTF-8. Several values are sent as several headers. */
  readonly key?: string | readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

export interface RawResponse extends Times {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response
  readonly json: any;
}

/** The functions whose logs are searched at the end of a run. */
const SEARCHED = [EMULATED_ENDPOINT, inject('servedUrl')];

const wireBytes = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');

/**
 * Calls the endpoint. `json` is undefined if the body is not JSON.
 *
 * @throws if the contract does not document the response, or if it came later than promised
 */
export async function send(endpoint: string, raw: RawRequest = {}): Promise<RawResponse> {
  const { hostname, port, pathname } = new URL(endpoint);
  const { method = 'GET', target = '', key } = raw;
  recordUsed(...[key ?? []].flat(), ...new URLSearchParams(target.split('?')[1]).values());
  const keyHeader = typeof key === 'string' ? wireBytes(key) : key?.map(wireBytes);
  const options = {
    hostname,
    port,
    path: `${target.startsWith('/') ? pathname.replace(/\/$/, '') : pathname}${target}`,
    method,
    headers: { ...raw.headers, ...(keyHeader !== undefined && { 'X-PoH-API-Key': keyHeader }) },
    ...(raw.agent && { agent: raw.agent }),
  };
  const { response, ...times } = await timed(endpoint, `${method} ${target}`, async (signal) => {
    const outgoing = request({ ...options, signal });
    outgoing.end(raw.body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      text: await text(incoming),
    };
  });
  const { headers } = response;
  if (SEARCHED.includes(endpoint)) record('asked', String(headers['x-request-id']));
  const json = parseJson(response.text);
  requireContract(method, { ...response, json });
  return { ...response, ...times, json };
}

/** @param output everything that the process has written */
export function loggedEntries(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** Returns the lines that the function logs once for each request. */
export const requestEntries = (output: string): Record<string, unknown>[] =>
  loggedEntries(output).filter(({ message }) => message === 'lookup');

/** Of raw bytes, in messages. */
const LENGTH_SHOWN = 200;

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * @param halfClose ends the client's side of the connection after the bytes
 * @returns everything received until the connection ends
 */
export async function exchange(url: string, bytes: string, halfClose = false): Promise<string> {
  const { response } = await timed(url, bytes.slice(0, LENGTH_SHOWN), async (signal) => {
    const socket = await connectTo(url);
    signal.addEventListener('abort', () => socket.destroy(signal.reason));
    if (halfClose) socket.end(bytes, 'latin1');
    else socket.write(bytes, 'latin1');
    return await text(socket);
  });
  return response;
}

export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Splits the text of a connection into responses, by their Content-Length. */
export function parseResponses(wire: string): WireResponse[] {
  const [head = '', ...rest] = wire.split('\r\n\r\n');
  if (wire === '') return [];
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name.toLowerCase(), value.join(': ')];
    }),
  );
  const body = Buffer.from(rest.join('\r\n\r\n'));
  const length = Number(headers['content-length'] ?? body.length);
  return [
    { status: Number(statusLine.split(' ')[1]), headers, text: body.toString('utf8', 0, length) },
    ...parseResponses(body.toString('utf8', length)),
  ];
}
