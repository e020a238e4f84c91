// Columns for a terminal.

import stringWidth from 'string-width';

/**
 * Pads rows under a heading so that their columns stand below each other, whatever characters are in
 * them: East Asian characters and emoji are two columns wide, accents none.
 *
 * @returns the lines, without trailing blanks
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

/** Cuts a text off, between two characters as a person sees them, so that it fits into columns. */
export function clipColumns(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let clipped = '';
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(clipped + segment) >= columns) break;
    clipped += segment;
  }
  return `${clipped}…`;
}

/** A count with commas between the thousands. */
export const formatCount = (count: number): string => count.toLocaleString('en');
