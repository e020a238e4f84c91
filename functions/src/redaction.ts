// Takes secret values out of a text, in whichever form somebody else has written them.

/** One character, or one byte that is percent-encoded (more than once too), or a JSON escape. */
const PIECE = /%(?:25)*(?<byte>[0-9a-f]{2})|\\u(?<unit>[0-9a-f]{4})|\\(?<escaped>["\\/])|./gisu;

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
  // As it is first: what stands before it may look like the beginning of an escape.
  const rest = values.reduce((left, value) => left.replaceAll(value, REDACTED), text);
  return [...needles].reduce(withoutNeedle, rest);
}

const REDACTED = '[redacted]';

function withoutNeedle(text: string, needle: string): string {
  const { bytes, starts } = fold(text);
  let kept = '';
  let from = 0;
  let at = bytes.indexOf(needle);
  while (at >= 0) {
    kept += text.slice(from, starts[at]) + REDACTED;
    from = starts[at + needle.length] ?? text.length;
    at = bytes.indexOf(needle, at + needle.length);
  }
  return kept + text.slice(from);
}

function fold(text: string): Folded {
  const starts: number[] = [];
  let bytes = '';
  for (const { 0: whole, index, groups: { byte, unit, escaped } = {} } of text.matchAll(PIECE)) {
    const character = unit ? String.fromCharCode(Number.parseInt(unit, 16)) : (escaped ?? whole);
    const piece = byte
      ? String.fromCharCode(Number.parseInt(byte, 16))
      : Buffer.from(character).toString('latin1');
    bytes += piece.toLowerCase();
    for (let count = 0; count < piece.length; count++) starts.push(index);
  }
  return { bytes, starts: [...starts, text.length] };
}
