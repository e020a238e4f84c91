// Parses JSON; an array while it arrives, so that a long one is never in memory as a whole.

import { UnusableResponse } from './googleError.ts';

/** A document has at most 1 MiB, and JSON at most six characters for each of its bytes. */
const ELEMENT_MAX_BYTES = 8 * 1024 ** 2;

const codeOf = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [codeOf('"'), codeOf('\\'), codeOf(',')];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [codeOf('['), codeOf(']'), codeOf('{'), codeOf('}')];
const SPACE = codeOf(' ');

/** The text of an array, of which more and more arrives. */
export class JsonArray {
  /** What follows the last comma between elements; joined once, since most of a long element is many chunks. */
  #rest: Buffer[] = [];
  #restLength = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #state: 'before' | 'empty' | 'after a comma' | 'complete' = 'before';

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  /** Takes the next bytes. @returns the elements that are complete now and were not before */
  push(chunk: Buffer): unknown[] {
    const elements: unknown[] = [];
    let begin = 0;
    let comma = -1;
    // Locals, because each byte passes here.
    let [depth, isText, isEscaped] = [this.#depth, this.#isText, this.#isEscaped];
    const take = (end: number, next: 'after a comma' | 'complete'): void => {
      const bytes = Buffer.concat([...this.#rest, chunk.subarray(begin, end)]);
      const parsed = parseJson(`[${bytes}]`) as unknown[];
      const mayBeEmpty = this.#state === 'empty' && next === 'complete';
      if (parsed.length === 0 && !mayBeEmpty) throw notAnArray();
      elements.push(...parsed);
      this.#state = next;
      this.#forget();
      begin = end + 1;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (depth === 0) {
        if (byte <= SPACE) continue;
        if (byte !== ARRAY || this.#state !== 'before') throw notAnArray();
        this.#state = 'empty';
        this.#forget();
        depth = 1;
        begin = at + 1;
      } else if (byte === QUOTE) isText = true;
      else if (byte === OBJECT || byte === ARRAY) depth += 1;
      else if (byte === OBJECT_END || byte === ARRAY_END) {
        depth -= 1;
        if (depth > 0) continue;
        if (byte !== ARRAY_END) throw notAnArray();
        take(at, 'complete');
      } else if (byte === COMMA && depth === 1) comma = at;
    }
    if (comma >= begin) take(comma, 'after a comma');
    [this.#depth, this.#isText, this.#isEscaped] = [depth, isText, isEscaped];
    this.#rest.push(chunk.subarray(begin));
    this.#restLength += chunk.length - begin;
    if (this.#restLength > ELEMENT_MAX_BYTES) throw notAnArray();
    return elements;
  }

  #forget(): void {
    this.#rest = [];
    this.#restLength = 0;
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
