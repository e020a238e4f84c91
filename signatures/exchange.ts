// Parses a saved exchange: a line with the request's URL, then what `curl -i` has saved.

export interface SavedExchange {
  readonly method: string;
  /** The raw query of the request's URL, without its question mark. */
  readonly query: string;
  readonly status: number;
  /** Names in lower case; the values of a repeated field are joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

const REQUEST_LINE = /^(?:(GET|HEAD) )?(https?:\/\/[^\s?#]+)(?:\?([^\s#]*))?\r?$/;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? (\d{3})/;

/**
 * @param bytes the file
 * @returns undefined when it is no such file
 */
export function parseExchange(bytes: Buffer): SavedExchange | undefined {
  const [requestLine, afterRequest] = cut(bytes, '\n');
  const request = REQUEST_LINE.exec(requestLine.toString('latin1'));
  if (!request) return undefined;
  const response = parseResponse(afterRequest);
  return response && { method: request[1] ?? 'GET', query: request[3] ?? '', ...response };
}

function parseResponse(
  bytes: Buffer,
): Pick<SavedExchange, 'status' | 'headers' | 'body'> | undefined {
  const separator = bytes.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n';
  const [head, body] = cut(bytes, separator);
  const [statusLine = '', ...fields] = head.toString('latin1').split(/\r?\n/);
  const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) return undefined;
  // An interim response (100 Continue, a proxy's tunnel) stands before the one that counts.
  if (STATUS_LINE.test(body.subarray(0, 16).toString('latin1'))) return parseResponse(body);
  const headers = new Map<string, string>();
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).trim().toLowerCase();
    const value = field.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { status, headers, body };
}

/** @returns what stands before the separator and behind it */
function cut(bytes: Buffer, separator: string): [Buffer, Buffer] {
  const at = bytes.indexOf(separator);
  if (at < 0) return [bytes, Buffer.alloc(0)];
  return [bytes.subarray(0, at), bytes.subarray(at + separator.length)];
}
