// Formats requests and responses for reading, in at most 100 columns.

const COLUMNS = 100;

/**
 * A URL, broken before the parameters of its query where it is too long.
 *
 * @param before what stands before it on its line
 */
export function formatUrl(before: string, url: string): string {
  const line = `${before}${url}`;
  if (line.length <= COLUMNS) return line;
  return line.replaceAll(/[?&]/g, (separator) => `\n  ${separator}`);
}

/**
 * JSON with its fields in their own order: one line for each, and those of a list's objects filled into
 * lines.
 *
 * @param shown how many entries of a list are shown; the others are counted
 */
export function formatJson(body: object, shown: number): string {
  const fields = Object.entries(body).map(([name, value]) => {
    const text = Array.isArray(value) ? formatList(value, shown) : JSON.stringify(value);
    return fold(`  ${JSON.stringify(name)}: ${text}`);
  });
  return `{\n${fields.join(',\n')}\n}`;
}

function formatList(list: readonly unknown[], shown: number): string {
  if (list.length === 0) return '[]';
  const lines = list.slice(0, shown).map(formatEntry);
  const left = list.length - shown;
  if (left > 0) lines.push(`    … and ${left} more`);
  return `[\n${lines.join(',\n')}\n  ]`;
}

/** An object on as few lines as possible. */
function formatEntry(entry: unknown): string {
  const fields = Object.entries(Object(entry)).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const lines: string[] = [];
  let line = '    { ';
  fields.forEach((field, index) => {
    const text = index === fields.length - 1 ? `${field} }` : `${field},`;
    const isFull = line.trim() !== '{' && line.length + text.length >= COLUMNS;
    if (isFull) lines.push(line.trimEnd());
    line = isFull ? `      ${text} ` : `${line}${text} `;
  });
  return [...lines, line.trimEnd()].join('\n');
}

/** A line that is too long, with the comma behind it, continues on the next, between words. */
function fold(text: string): string {
  if (text.includes('\n') || text.length < COLUMNS) return text;
  const end = text.lastIndexOf(' ', COLUMNS);
  return `${text.slice(0, end)}\n      ${text.slice(end + 1)}`;
}
