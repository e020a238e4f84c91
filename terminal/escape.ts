// Makes untrusted text safe to show on a terminal.

/** Control characters, which a terminal obeys, and what turns the text around it. */
const OBEYED = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\\]/u;
/** What cannot be seen. Joiners and variation selectors stay: names and emoji are written with them. */
const UNSEEN = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;
const UNSAFE = new RegExp(`${OBEYED.source}|${UNSEEN.source}`, 'gu');

/** As a text of one line: each such character as in "\u{202e}", and a backslash doubled. */
export const escapeForTerminal = (text: string): string =>
  text.replaceAll(UNSAFE, (character) =>
    character === '\\' ? '\\\\' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
