// The rule for a project's name, which also applies to a key's contact. firestore.rules has the same
// rule, except that it cannot check for NFC.

const NAME_MAX_CHARACTERS = 100;

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** The message for an invalid line. @param what it asks for, as an imperative */
export const lineRule = (what: string, maxCharacters = NAME_MAX_CHARACTERS): string =>
  `${what} in 1 to ${maxCharacters} characters on one line, without control or bidirectional characters.`;

export const PROJECT_RULE = lineRule('Name the project');
export const CONTACT_RULE = lineRule('Give the contact');

/** The form in which names are searched and compared. It ignores case and the width of spaces. */
export const comparable = (text: string): string =>
  text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();

/** Parses a name, or another line, that a person has typed. @returns it in NFC, or undefined */
export function parseProject(
  text: string,
  maxCharacters = NAME_MAX_CHARACTERS,
): string | undefined {
  const name = text.normalize('NFC').trim();
  const { length } = [...name];
  const fits = name.isWellFormed() && length > 0 && length <= maxCharacters;
  return fits && !FORBIDDEN.test(name) ? name : undefined;
}
