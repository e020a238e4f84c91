// The rule for a project's name, which also applies to a key's contact. firestore.rules has the same
// rule, except that it cannot check for NFC.

const NAME_MAX_CHARACTERS = 100;

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** The message for an invalid name. */
export const PROJECT_RULE =
  `Name the project in 1 to ${NAME_MAX_CHARACTERS} characters on one line, ` +
  'without control or bidirectional characters.';

/** The message for an invalid contact. */
export const CONTACT_RULE = PROJECT_RULE.replace('Name the project', 'Give the contact');

/** The message for an invalid note. */
export const NOTE_RULE = PROJECT_RULE.replace('Name the project', 'Write the note');

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
