// Formats requests and responses for a terminal of 80 columns. Breaks lines only between fields and between
// the words of a sentence.

const COLUMNS = 80;

/** Formats a URL. If it is too long, breaks it before each parameter of its query. */
export function formatUrl(before: string, url: string): string {
  const line = `${before}${url}`;
  if (line.length <= COLUMNS) return line;
  return line.replaceAll(/[?&]/g, (separator) => `\n  ${separator}`);
}

/**
 * Formats JSON with as many fields on a line as fit, in their original order.
 *
 * @param shown how many entries of a list are shown; the rest is summarized
 * @param summarize describes the entries that are not shown
 */
export function formatJson(
  body: object,
  shown: number,
  summarize: (rest: readonly unknown[]) => string = (rest) => `${rest.length} more`,
): string {
  const fields = Object.entries(body).map(([name, value]) => {
    if (!Array.isArray(value) || value.length === 0) return formatField(name, value);
    const entries = value.slice(0, shown).map((entry) => fillObject(fieldsOf(entry), 4));
    const rest = value.slice(shown);
    const lines = rest.length > 0 ? fill(words(`… and ${summarize(rest)}`), 4) : [];
    return `${JSON.stringify(name)}: [\n${[entries.join(',\n'), ...lines].filter(Boolean).join('\n')}\n  ]`;
  });
  return fillObject(fields, 0);
}

const words = (text: string): string[] => text.split(' ').map((word) => `${word} `);
const formatField = (name: string, value: unknown): string =>
  `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
const fieldsOf = (entry: unknown): string[] =>
  Object.entries(Object(entry)).map(([name, value]) => formatField(name, value));

/** @returns lines that are indented by `indent` spaces */
function fillObject(fields: readonly string[], indent: number): string {
  const parts = fields.map((field, index) => {
    const before = index === 0 ? '{ ' : '';
    return `${before}${field}${index < fields.length - 1 ? ', ' : ' }'}`;
  });
  return fill(parts, indent).join('\n');
}

/** Puts as many parts on a line as fit. Breaks a part that is longer than a line between its words. */
function fill(parts: readonly string[], indent: number): string[] {
  const before = ' '.repeat(indent);
  const lines = [before];
  for (const part of parts) {
    const last = lines.at(-1) ?? '';
    const lastLine = last.slice(last.lastIndexOf('\n') + 1);
    const [firstLine = ''] = part.split('\n');
    if (lastLine.length + firstLine.trimEnd().length <= COLUMNS) {
      lines[lines.length - 1] = `${last}${part}`;
    } else if (indent + 2 + firstLine.trimEnd().length <= COLUMNS) {
      lines.push(`${before}  ${part}`);
    } else {
      const isFirst = lines.length === 1 && last.trim() === '';
      const [end = '', ...others] = fill(words(part), isFirst ? indent : indent + 2).reverse();
      lines.push(...others.reverse(), `${end} `);
    }
  }
  return lines.map((line) => line.replaceAll(/ +$/gm, '')).filter((line) => line !== '');
}
