// The rule for a project's name, which also applies to a key's contact. firestore.rules has the same
// rule, except that it cannot check for NFC. One table of tests checks both.

const PROJECT_MAX_CHARACTERS = 100;

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Characters without any effect that a person could see, for example a zero-width space. Joiners,
 * variation selectors and tags stay, because scripts and emoji need them.
 */
const INVISIBLE = /[\p{DI}--[\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}]]/gv;

/** Unicode classifies a blank Braille pattern as a symbol. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--\u2800]/v;

/** The message for an invalid name. */
export const PROJECT_RULE =
  `Name the project in 1 to ${PROJECT_MAX_CHARACTERS} characters on one line, ` +
  'without control or bidirectional characters.';

/** The message for an invalid contact. */
export const CONTACT_RULE = PROJECT_RULE.replace('Name the project', 'Give the contact');

/** Gives names that look the same the same form: NFC, single spaces and no invisible characters. */
export const normalizeName = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();

/** The form in which names are searched and compared. It ignores case. */
export const comparable = (text: string): string => normalizeName(text).toLowerCase();

/**
 * Parses a project's name that a person has typed.
 *
 * @returns the name in its normal form, 1 to 100 characters (code points) of which at least one is
 *   visible, or undefined
 */
export function parseProject(text: string): string | undefined {
  const trimmed = text.trim();
  const project = normalizeName(trimmed);
  const fits =
    project.isWellFormed() &&
    [...project].length <= PROJECT_MAX_CHARACTERS &&
    !FORBIDDEN.test(trimmed) &&
    VISIBLE.test(project);
  return fits ? project : undefined;
}
