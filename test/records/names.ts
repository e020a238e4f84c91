// Names of projects. records/project.ts and firestore.rules must both accept the good ones and refuse the bad ones.

export const GOOD_NAMES: readonly string[] = [
  'X',
  'x'.repeat(100),
  '𝒳'.repeat(100),
  'می‌خواهم',
  '👨‍👩‍👧',
];

export const BAD_NAMES: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a space', ' '],
  ['101 characters', 'x'.repeat(101)],
  ...Array.from(
    '\n\u0000\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069',
    (character) => [JSON.stringify(character), `A${character}B`] as const,
  ),
];
