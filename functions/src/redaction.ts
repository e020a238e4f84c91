// Redacts secret values in a text, in whichever encoding a dependency has written them.

const REDACTED = '[redacted]';
/** Plain ASCII, or one byte that is percent-encoded (more than once too), a JSON escape, a character. */
const PIECE =
  /(?<plain>[^%\\\u0080-\u{10ffff}]+)|%(?:25)*(?<byte>[0-9a-f]{2})|\\u(?<unit>[0-9a-f]{4})|\\(?<escaped>["\\/])|./gisu;

interface Folded {
  /** The text's UTF-8 bytes, one character for each, decoded and in lower case. */
  readonly bytes: string;
  /** For each byte, where the piece of text begins that it comes from; then the text's length. */
  readonly starts: readonly number[];
}

/**
 * Replaces each of the values wherever it stands: as it is, in upper or lower case, decoded,
 * percent-encoded in whole or in part, or as JSON text.
 */
export function redact(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, value.toLowerCase(), value.toUpperCase()]);
  const needles = new Set(forms.map((form) => fold(form).bytes));
  const folded = fold(text);
  const found = [
    // As it is too: what stands before it may look like the beginning of an escape.
    ...values.flatMap((value) =>
      indexesOf(text, value).map((at): Range => [at, at + value.length]),
    ),
    ...[...needles].flatMap((needle) =>
      indexesOf(folded.bytes, needle).map(
        (at): Range => [folded.starts[at] ?? 0, folded.starts[at + needle.length] ?? 0],
      ),
    ),
  ];
  let redacted = '';
  let from = 0;
  for (const [start, end] of found.sort(([a], [b]) => a - b)) {
    // Overlapping ones are merged.
    if (start >= from) redacted += text.slice(from, start) + REDACTED;
    from = Math.max(from, end);
  }
  return redacted + text.slice(from);
}

type Range = readonly [start: number, end: number];

function indexesOf(text: string, needle: string): number[] {
  const indexes: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) indexes.push(at);
  return indexes;
}

function fold(text: string): Folded {
  const starts: number[] = [];
  let bytes = '';
  for (const { 0: whole, index, groups = {} } of text.matchAll(PIECE)) {
    const { plain, byte, unit, escaped } = groups;
    const character = unit ? String.fromCharCode(Number.parseInt(unit, 16)) : (escaped ?? whole);
    const piece = byte
      ? String.fromCharCode(Number.parseInt(byte, 16))
      : (plain ?? Buffer.from(character).toString('latin1'));
    bytes += piece.toLowerCase();
    for (let count = 0; count < piece.length; count++) starts.push(index + (plain ? count : 0));
  }
  return { bytes, starts: [...starts, text.length] };
}
