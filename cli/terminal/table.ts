// Aligns and truncates text in columns for a terminal, and makes untrusted text safe to show on one.

import stringWidth from 'string-width';

/**
 * Aligns the columns of rows under a heading by the width of their characters. East Asian characters and
 * emoji are two columns wide, and accents have no width.
 *
 * @returns the lines, without trailing spaces
 */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const lines = [heading, ...rows];
  const widths = heading.map((_, i) =>
    Math.max(...lines.map((line) => stringWidth(line[i] ?? ''))),
  );
  return lines.map((line) =>
    line
      .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
}

const graphemes = new Intl.Segmenter();

/** Truncates a text to a number of columns, and never within a grapheme. */
export function clipColumns(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let clipped = '';
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(clipped + segment) >= columns) break;
    clipped += segment;
  }
  return `${clipped}…`;
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

/** Formats a value as JSON that is safe to show on a terminal. @param indent spaces for each level */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(UNSAFE_IN_JSON, (character) =>
    // JSON escapes a character outside of the basic plane as two code units.
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
