// Makes untrusted text safe to show on a terminal.

/** Control characters, line separators, characters that change the text's direction, and the backslash. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\\]/u;
/** Invisible characters. Joiners and variation selectors are allowed, because names and emoji need them. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/u;
const UNSAFE = new RegExp(`${CONTROL.source}|${INVISIBLE.source}`, 'gu');

/** Returns the text on one line, with unsafe characters written as in "\u{202e}" and with backslashes doubled. */
export const escapeForTerminal = (text: string): string =>
  text.replaceAll(UNSAFE, (character) =>
    character === '\\' ? '\\\\' : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
