// Parses JSON; the array of a query's rows while it arrives, so that a long one is never in memory as a whole.

import { UnusableResponse } from './googleError.ts';

/** How much may wait before what is complete is parsed, in characters. */
const PARSE_FROM = 64 * 1024;
/** A row has at most 1 MiB, and JSON at most six characters for each byte. */
const WAITING_MAX = 8 * 1024 ** 2;
/** How each row of a query begins. Within JSON's text a quote has a backslash before it. */
const ROW = '"document"';
const ROW_BEGIN = /,\s*\{\s*$/;
const ROW_BEGIN_MAX = 32;

/** The text of an array, of which more and more arrives. */
export class JsonArray {
  #parseFrom: number;
  /** What is not parsed yet, as the text of an array. */
  #waiting = '';

  constructor(parseFrom = PARSE_FROM) {
    this.#parseFrom = parseFrom;
  }

  /** Takes the next piece of the text. @returns elements that are complete now and were not returned before */
  push(text: string): unknown[] {
    this.#waiting += text;
    if (this.#waiting.length > WAITING_MAX) throw new UnusableResponse('the response is too long');
    if (this.#waiting.length < this.#parseFrom) return [];
    const row = this.#waiting.lastIndexOf(ROW);
    const begin = ROW_BEGIN.exec(this.#waiting.slice(Math.max(row - ROW_BEGIN_MAX, 0), row));
    const comma = row - (begin?.[0].length ?? 0);
    const elements = begin ? parseElements(`${this.#waiting.slice(0, comma)}]`) : [];
    if (elements.length > 0) this.#waiting = `[${this.#waiting.slice(comma + 1)}`;
    // Not the beginning of a row: tried again when twice as much has arrived.
    else this.#parseFrom = 2 * this.#waiting.length;
    return elements;
  }

  /** The text is complete. @returns the other elements @throws UnusableResponse when it was not an array */
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

/** @throws UnusableResponse in place of the parser's error, which quotes the text */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableResponse('the response is not JSON');
  }
}
