// The rule for a project's name, which also applies to a key's contact. It is also in
// firestore.rules, which must not refuse a name that this file accepts. One table of tests checks
// both.

export const PROJECT_MAX_CHARACTERS = 100;

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Unicode classifies the last five as letters and a symbol, but they are invisible. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\u115f\u1160\u2800\u3164\uffa0]]/v;

/** The message for an invalid name. */
export const PROJECT_RULE =
  `Name the project in 1 to ${PROJECT_MAX_CHARACTERS} characters on one line, ` +
  'without control or bidirectional characters.';

/** The message for an invalid contact. */
export const CONTACT_RULE = PROJECT_RULE.replace('Name the project', 'Give the contact');

/**
 * Parses a project's name that a person has typed.
 *
 * @param text the name, which is trimmed
 * @returns the name, 1 to 100 characters (code points) of which at least one is visible, or undefined
 */
export function parseProject(text: string): string | undefined {
  const project = text.trim();
  const fits =
    project.isWellFormed() &&
    [...project].length <= PROJECT_MAX_CHARACTERS &&
    !FORBIDDEN.test(project) &&
    VISIBLE.test(project);
  return fits ? project : undefined;
}
