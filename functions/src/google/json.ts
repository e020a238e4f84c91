// Reads the JSON of a response. A query's rows are parsed as they arrive, because whole bodies need twice the memory.

import { type BodyReader, UnusableResponse } from './exchange.ts';

/** In characters. Access tokens and accounts have about 2,000, a stored key or token even fewer. */
const VALUE_MAX_LENGTH = 1024 ** 2;
/** How many characters may wait before the complete elements are parsed. */
const PARSE_FROM = 64 * 1024;
/** A document has at most 1 MiB, and JSON needs at most six characters for each byte. */
const WAITING_MAX = 8 * 1024 ** 2;
/** Every row of a query begins with this. It cannot occur inside a JSON string, where quotes are escaped. */
const ROW = '"document"';
const ROW_BEGIN = /,\s*\{\s*$/;
const ROW_BEGIN_MAX = 32;

/** Reads a body as one JSON value. @param parse converts the value */
export function readJson<Result>(parse: (json: unknown) => Result): BodyReader<Result> {
  let body = '';
  return {
    onData(text) {
      body += text;
      if (body.length > VALUE_MAX_LENGTH) throw new UnusableResponse('the response is too long');
    },
    result: () => parse(parseJson(body)),
  };
}

/** Reads a body as an array. @param onElements called with the elements that became complete */
export function readArray<Result>(
  onElements: (elements: readonly unknown[]) => void,
  result: () => Result,
): BodyReader<Result> {
  let parseFrom = PARSE_FROM;
  /** The text that is not parsed yet. It always begins like an array. */
  let waiting = '';
  return {
    onData(text) {
      waiting += text;
      if (waiting.length > WAITING_MAX) throw new UnusableResponse('the response is too long');
      if (waiting.length < parseFrom) return;
      const row = waiting.lastIndexOf(ROW);
      const begin = ROW_BEGIN.exec(waiting.slice(Math.max(row - ROW_BEGIN_MAX, 0), row));
      const comma = row - (begin?.[0].length ?? 0);
      const elements = begin ? parseElements(`${waiting.slice(0, comma)}]`) : [];
      if (elements.length > 0) waiting = `[${waiting.slice(comma + 1)}`;
      // No complete element was found, so try again when twice as much text has arrived.
      else parseFrom = 2 * waiting.length;
      onElements(elements);
    },
    result() {
      const elements = parseJson(waiting);
      if (!Array.isArray(elements)) throw new UnusableResponse('the response is not an array');
      onElements(elements);
      return result();
    },
  };
}

function parseElements(text: string): unknown[] {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

/** @throws UnusableResponse instead of the parser's error, which quotes the text */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableResponse('the response is not JSON');
  }
}
