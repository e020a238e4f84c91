// Columns for a terminal.

/**
 * Pads rows under a heading so that their columns stand below each other.
 *
 * @returns the lines, without trailing blanks
 */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A count with a comma at the thousands. */
export const formatCount = (count: number): string => count.toLocaleString('en');
