// Parses JSON. A query's rows are parsed as they arrive, so that a long response is never completely
// in memory.

import type { BodyReader } from './exchange.ts';
import { UnusableResponse } from './googleError.ts';

/** In characters. Access tokens and accounts are about 2,000 characters long. */
const VALUE_MAX_LENGTH = 1024 ** 2;
/** How many characters may wait before the complete elements are parsed. */
const PARSE_FROM = 64 * 1024;
/**
 * The limit for text whose rows cannot be separated. A row is at most 1 MiB long, and JSON needs at
 * most six characters for each byte.
 */
const WAITING_MAX = 8 * 1024 ** 2;
/** Every row of a query begins with this. It cannot occur inside a JSON string, where quotes are escaped. */
const ROW = '"document"';
const ROW_BEGIN = /,\s*\{\s*$/;
const ROW_BEGIN_MAX = 32;

/** The text of an array that arrives in pieces. */
export class JsonArray {
  #parseFrom: number;
  /** The text that is not parsed yet. It always begins like an array. */
  #waiting = '';

  constructor(parseFrom = PARSE_FROM) {
    this.#parseFrom = parseFrom;
  }

  /** Adds the next piece of text. @returns the elements that became complete */
  push(text: string): unknown[] {
    this.#waiting += text;
    if (this.#waiting.length > WAITING_MAX) throw new UnusableResponse('the response is too long');
    if (this.#waiting.length < this.#parseFrom) return [];
    const row = this.#waiting.lastIndexOf(ROW);
    const begin = ROW_BEGIN.exec(this.#waiting.slice(Math.max(row - ROW_BEGIN_MAX, 0), row));
    const comma = row - (begin?.[0].length ?? 0);
    const elements = begin ? parseElements(`${this.#waiting.slice(0, comma)}]`) : [];
    if (elements.length > 0) this.#waiting = `[${this.#waiting.slice(comma + 1)}`;
    // No complete element was found, so try again when twice as much text has arrived.
    else this.#parseFrom = 2 * this.#waiting.length;
    return elements;
  }

  /** Ends the text. @returns the remaining elements @throws UnusableResponse if the text is not an array */
  end(): unknown[] {
    const elements = parseJson(this.#waiting);
    if (!Array.isArray(elements)) throw new UnusableResponse('the response is not a JSON array');
    return elements;
  }
}

function parseElements(text: string): unknown[] {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

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

/** @throws UnusableResponse instead of the parser's error, which quotes the text */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableResponse('the response is not JSON');
  }
}
