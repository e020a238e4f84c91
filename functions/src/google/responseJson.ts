// Reads the JSON of a response. A query's rows are parsed as they arrive, because whole bodies need twice the memory.

import { type BodyReader, readText, toGoogleError, UnusableResponse } from './exchange.ts';

/** How many characters may wait before the complete elements are parsed. */
const PARSE_FROM = 64 * 1024;
/** How many characters may arrive without a complete element. Rows are short, because only some fields are selected. */
const WAITING_MAX = 1024 ** 2;
const ROW_KEY = '"document"';
/** The key in a row. A stored map may have the same key, but there a value follows, such as `{"stringValue":`. */
const IN_ROW = /"document"\s*:\s*\{\s*"(?!\w+Value")\w+"/y;

/** Its members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws GoogleError if the object reports an error, which can also come late in a response with status 200 */
function toObject(value: unknown): JsonObject {
  if (!(value instanceof Object) || Array.isArray(value)) {
    throw new UnusableResponse('the response is not an object where it should be one');
  }
  const { error } = value as { error?: { code?: unknown } };
  if (error) throw toGoogleError(Number(error.code), JSON.stringify(value));
  return value as JsonObject;
}

/** Reads a body as one JSON object. @param parse converts it */
export const readJson = <Result>(parse: (json: JsonObject) => Result): BodyReader<Result> =>
  readText((text) => parse(toObject(JSON.parse(text))));

/** Reads a body as an array of objects. @param onElement called as soon as an element is complete */
export function readArray<Result>(
  onElement: (element: JsonObject) => void,
  result: () => Result,
): BodyReader<Result> {
  const onElements = (elements: readonly unknown[]): void => {
    for (const element of elements) onElement(toObject(element));
  };
  let parseFrom = PARSE_FROM;
  /** The text that is not parsed yet. It always begins like an array. */
  let waiting = '';
  return {
    onData(text) {
      waiting += text;
      if (waiting.length < parseFrom) return;
      // Text in a document may look like the key of a row. But no prefix of JSON that is cut at a comma within a value,
      // and closed like the array, is JSON. So a wrong cut only waits for more text.
      const row = waiting.lastIndexOf('{', lastRowKey(waiting));
      const comma = waiting.lastIndexOf(',', row);
      const elements = comma < 0 ? [] : parseElements(`${waiting.slice(0, comma)}]`);
      if (elements.length > 0) waiting = `[${waiting.slice(comma + 1)}`;
      if (waiting.length > WAITING_MAX) throw new UnusableResponse('the response is too long');
      // If no complete element was found, try again when twice as much text has arrived.
      parseFrom = elements.length > 0 ? PARSE_FROM : Math.min(2 * waiting.length, WAITING_MAX + 1);
      onElements(elements);
    },
    result() {
      // Throws for what is no array.
      onElements(JSON.parse(waiting));
      return result();
    },
  };
}

/** @returns the place of the last row's key; -1 if there is none */
function lastRowKey(text: string): number {
  let at = text.length;
  do {
    at = text.lastIndexOf(ROW_KEY, at - 1);
    IN_ROW.lastIndex = at;
  } while (at > 0 && !IN_ROW.test(text));
  return at;
}

function parseElements(text: string): unknown[] {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
