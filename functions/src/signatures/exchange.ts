// Parses a saved exchange: a line with the request's URL, then the output of `curl -i`.

export interface SavedExchange {
  /** The saved URL of the request. Only its query is signed. */
  readonly url: string;
  /** The raw query of the URL, without the question mark. */
  readonly query: string;
  readonly status: number;
  /** Field names are in lower case; the values of a repeated field are joined with ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const REQUEST_LINE = /^(?:(?:GET|HEAD) )?(https?:\/\/[^\s?#]+(?:\?([^\s#]*))?)\r?$/;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})/;
/** Fields of a 2xx response with content. A proxy's response to CONNECT never has them (RFC 9110, 9.3.6). */
const CONTENT_FIELDS = ['content-type', 'content-length', 'transfer-encoding'];

/**
 * @param bytes the content of the file
 * @returns undefined if it is not a saved exchange
 */
export function parseExchange(bytes: Buffer): SavedExchange | undefined {
  const [requestLine, afterRequest] = cut(bytes, '\n');
  const request = REQUEST_LINE.exec(requestLine.toString('latin1'));
  if (!request) return undefined;
  const response = parseResponse(afterRequest);
  return response && { url: request[1] ?? '', query: request[2] ?? '', ...response };
}

function parseResponse(
  bytes: Buffer,
): Pick<SavedExchange, 'status' | 'headers' | 'body'> | undefined {
  const separator = bytes.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n';
  const [head, body] = cut(bytes, separator);
  const [statusLine = '', ...fields] = head.toString('latin1').split(/\r?\n/);
  const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) return undefined;
  const headers = new Map<string, string>();
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).trim().toLowerCase();
    const value = field.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const isPreliminary = isInterim(status) || isTunnel(status, headers);
  const isFollowed = STATUS_LINE.test(body.subarray(0, 16).toString('latin1'));
  return isPreliminary && isFollowed ? parseResponse(body) : { status, headers, body };
}

const isInterim = (status: number): boolean => status >= 100 && status <= 199;

/** Whether this is a proxy's response to CONNECT, which curl saves before the server's response. */
const isTunnel = (status: number, headers: ReadonlyMap<string, string>): boolean =>
  status >= 200 && status <= 299 && !CONTENT_FIELDS.some((name) => headers.has(name));

/** Splits at the first separator. */
function cut(bytes: Buffer, separator: string): [Buffer, Buffer] {
  const at = bytes.indexOf(separator);
  if (at < 0) return [bytes, Buffer.alloc(0)];
  return [bytes.subarray(0, at), bytes.subarray(at + separator.length)];
}
