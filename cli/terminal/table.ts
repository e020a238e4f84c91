// Aligns text in columns for a terminal, and makes untrusted text safe to show on one.

import stringWidth from 'string-width';

/** Less room is not worth wrapping for. */
const WRAPPED_MIN = 18;

/**
 * Aligns the columns of rows under a heading by the width of their characters. East Asian characters and
 * emoji are two columns wide, and accents have no width. The last cell of a row is wrapped.
 *
 * @param columns the width of the terminal
 * @returns the lines, without trailing spaces
 */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Infinity,
): string[] {
  const lines = [heading, ...rows];
  const widths = heading
    .slice(0, -1)
    .map((_, i) => lines.reduce((width, line) => Math.max(width, stringWidth(line[i] ?? '')), 0));
  const indent = widths.reduce((sum, width) => sum + width + 2, 0);
  return lines.flatMap((line) => {
    const before = widths.map((width, i) => {
      const cell = line[i] ?? '';
      return cell + ' '.repeat(width - stringWidth(cell) + 2);
    });
    const [first, ...more] = wrapColumns(
      line.at(-1) ?? '',
      Math.max(columns - indent, WRAPPED_MIN),
    );
    return [before.join('') + first, ...more.map((part) => ' '.repeat(indent) + part)].map((part) =>
      part.trimEnd(),
    );
  });
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Breaks a text into lines between words; a word that is longer than a line is a line of its own. */
function wrapColumns(text: string, columns: number): string[] {
  // An address is not broken at its dots, unless it is longer than a line.
  const parts = text
    .split(/(?<= )/)
    .flatMap((part) =>
      stringWidth(part) > columns ? [...words.segment(part)].map(({ segment }) => segment) : [part],
    );
  const lines = [''];
  for (const part of parts) {
    const longer = (lines.at(-1) ?? '') + part;
    if (longer !== part && stringWidth(longer.trimEnd()) > columns) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Formats a count with commas between the thousands. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** @param noun in the singular, with a plural in -s */
export const formatAmount = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Control characters, line separators, characters that change the text's direction, and the backslash. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\\]/u;
/** Invisible characters. Joiners and variation selectors are allowed, because names and emoji need them. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;
const UNSAFE = new RegExp(`${CONTROL.source}|${INVISIBLE.source}`, 'gu');
/** Unsafe characters that JSON does not escape. */
const UNSAFE_IN_JSON = new RegExp(
  `[\\u007f-\\u009f\\p{Zl}\\p{Zp}\\p{Bidi_Control}]|${INVISIBLE.source}`,
  'gu',
);

/** Returns the text on one line, with unsafe characters written as in "\u{202e}" and with backslashes doubled. */
export const escapeForTerminal = (text: string): string =>
  text.replaceAll(UNSAFE, (character) =>
    character === '\\' ? '\\\\' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

/** Returns a message of several lines, in which an argument may be repeated, with unsafe characters escaped. */
export const escapeLines = (text: string): string =>
  text.replaceAll(UNSAFE, (character) =>
    '\\\n'.includes(character) ? character : escapeForTerminal(character),
  );

/** Formats a value as JSON that is safe to show on a terminal. Undefined becomes null. @param indent spaces for each level */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_, one: unknown) => one ?? null, indent).replaceAll(
    UNSAFE_IN_JSON,
    (character) =>
      // JSON escapes a character outside of the basic plane as two code units.
      character
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
  );
