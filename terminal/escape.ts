// Makes untrusted text safe to show on a terminal.

/** Control characters, which a terminal obeys, and what turns the text around it. */
const OBEYED = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\\]/u;
/** What cannot be seen. Joiners and variation selectors stay: names and emoji are written with them. */
const UNSEEN = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;
const UNSAFE = new RegExp(`${OBEYED.source}|${UNSEEN.source}`, 'gu');
/** What JSON leaves as it is, of which a terminal may be where the JSON is read. */
const UNSAFE_IN_JSON = new RegExp(
  `[\\u007f-\\u009f\\p{Zl}\\p{Zp}\\p{Bidi_Control}]|${UNSEEN.source}`,
  'gu',
);

/** As a text of one line: each such character as in "\u{202e}", and a backslash doubled. */
export const escapeForTerminal = (text: string): string =>
  text.replaceAll(UNSAFE, (character) =>
    character === '\\' ? '\\\\' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

/** As JSON whose characters are all safe to show on a terminal. @param indent blanks for each level */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(UNSAFE_IN_JSON, (character) =>
    // As JSON writes a character outside of the basic plane: in two halves.
    character
      .split('')
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
