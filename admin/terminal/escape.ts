// Makes untrusted text safe to show on a terminal.

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
