// Parses JSON; an array while it arrives, so that a long one is never in memory as a whole.

import { UnusableResponse } from './googleError.ts';

/** A document has at most 1 MiB, and JSON at most six characters for each of its bytes. */
const ELEMENT_MAX_BYTES = 8 * 1024 ** 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const ARRAY_BEGIN = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT_BEGIN = 0x7b;
const OBJECT_END = 0x7d;
const SPACES: ReadonlySet<number | undefined> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/** The text of an array, of which more and more arrives. */
export class JsonArray {
  /** What follows the last comma between elements. */
  #rest: Buffer = Buffer.alloc(0);
  /** At its end: 0 outside of the array, 1 between elements. */
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #state: 'before' | 'empty' | 'after a comma' | 'complete' = 'before';

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  /**
   * @param chunk the next bytes
   * @returns the elements that are complete now and were not before
   * @throws UnusableResponse when the text is not a JSON array
   */
  push(chunk: Buffer): unknown[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const elements: unknown[] = [];
    let begin = 0;
    let comma = -1;
    // Locals, because each byte passes here.
    let depth = this.#depth;
    let isText = this.#isText;
    let isEscaped = this.#isEscaped;
    for (let at = this.#rest.length; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (depth === 0) {
        if (SPACES.has(byte)) continue;
        if (byte !== ARRAY_BEGIN || this.#state !== 'before') throw notAnArray();
        this.#state = 'empty';
        depth = 1;
        begin = at + 1;
      } else if (byte === QUOTE) isText = true;
      else if (byte === OBJECT_BEGIN || byte === ARRAY_BEGIN) depth += 1;
      else if (byte === OBJECT_END || byte === ARRAY_END) {
        depth -= 1;
        if (depth > 0) continue;
        elements.push(...this.#parse(bytes, begin, at, 'complete'));
        begin = at + 1;
        comma = -1;
      } else if (byte === COMMA && depth === 1) comma = at;
    }
    if (comma >= 0) {
      elements.push(...this.#parse(bytes, begin, comma, 'after a comma'));
      begin = comma + 1;
    }
    this.#depth = depth;
    this.#isText = isText;
    this.#isEscaped = isEscaped;
    this.#rest = bytes.subarray(begin);
    if (this.#rest.length > ELEMENT_MAX_BYTES) throw notAnArray();
    return elements;
  }

  /** Parses one or more elements; none only where the array is empty. */
  #parse(bytes: Buffer, begin: number, end: number, next: 'after a comma' | 'complete'): unknown[] {
    const elements = parseJson(`[${bytes.toString('utf8', begin, end)}]`);
    const mayBeEmpty = this.#state === 'empty' && next === 'complete';
    if (!Array.isArray(elements) || (elements.length === 0 && !mayBeEmpty)) throw notAnArray();
    this.#state = next;
    return elements;
  }
}

const notAnArray = () => new UnusableResponse('the response is not a JSON array');

/** @throws UnusableResponse in place of the parser's error, which quotes the text */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableResponse('the response is not JSON');
  }
}
