// Aligns and truncates text in columns for a terminal.

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
): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, i) =>
    Math.max(...lines.map((line) => stringWidth(line[i] ?? ''))),
  );
  return lines
    .map((line) => line.map((cell, i) => padColumns(cell, widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

const padColumns = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - stringWidth(text)));

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
