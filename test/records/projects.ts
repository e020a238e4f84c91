// Names of projects. records/project.ts and firestore.rules must both accept the good
// ones and refuse the bad ones.

const show = (code: number): string => `U+${code.toString(16)}`;
const inside = (code: number): string => `A${String.fromCodePoint(code)}B`;

/** The first and the last character of each range of characters that a name cannot contain, by what becomes of them. */
const RANGES = {
  space: [[0xa0], [0x1680], [0x2000, 0x200a], [0x202f], [0x205f], [0x3000]],
  invisible: [
    ...[[0xad], [0x34f], [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b]],
    ...[[0x2060, 0x2065], [0x206a, 0x206f], [0x3164], [0xfeff], [0xffa0], [0xfff0, 0xfff8]],
    ...[
      [0x1bca0, 0x1bca3],
      [0x1d173, 0x1d17a],
      [0xe0000, 0xe001f],
      [0xe0080, 0xe0fff],
    ],
  ],
  forbidden: [
    [0, 0x1f],
    [0x7f, 0x9f],
    [0x61c],
    [0x200e, 0x200f],
    [0x2028, 0x202e],
    [0x2066, 0x2069],
  ],
};
/** Characters beside these ranges. */
const BESIDE = [
  0x21, 0x7e, 0xa1, 0xac, 0xae, 0x34e, 0x350, 0x61b, 0x61d, 0x115e, 0x1161, 0x167f, 0x1681, 0x17b3,
  0x17b6, 0x180a, 0x1810, 0x1fff, 0x200c, 0x200d, 0x2010, 0x2027, 0x2030, 0x205e, 0x2070, 0x3001,
  0x3163, 0x3165, 0xfe00, 0xfe0f, 0xff9f, 0xffa1, 0xffef, 0xfff9, 0x1bc9f, 0x1bca4, 0x1d172,
  0x1d17b, 0xdffff, 0xe0020, 0xe007f, 0xe1000,
];

export const GOOD_PROJECTS: readonly (readonly [string, string])[] = [
  ['a plain name', 'Acme DAO'],
  ['one character', 'X'],
  ['one digit', '7'],
  ['one punctuation mark', '!'],
  ['100 characters', 'x'.repeat(100)],
  ['100 characters beyond the basic plane', '𝒳'.repeat(100)],
  ['a name that looks like HTML', '<img src=x onerror=alert(1)>'],
  ['Hebrew', 'פרויקט'],
  ['a name with joiners, which some scripts need', 'می‌خواهم'],
  ['a family of emoji', '👨‍👩‍👧'],
  // Newer than the Unicode tables of some regular-expression engines.
  ['one emoji of Unicode 6.1', '😀'],
  ['one emoji of Unicode 15', '\u{1faf7}'],
  ['one letter of Unicode 16', '\u1c89'],
  ['a red heart, which has a variation selector', '❤\ufe0f'],
  ['the flag of Wales, which has tags', '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
  ...BESIDE.map((code) => [show(code), inside(code)] as const),
];

/** Names as a person may type or paste them, and as they are stored. The rules refuse the typed form. */
export const TYPED_PROJECTS: readonly (readonly [string, string, string])[] = [
  ['two spaces', 'Acme  DAO', 'Acme DAO'],
  ['a space before it', ' Acme DAO', 'Acme DAO'],
  ['a space after it', 'Acme DAO ', 'Acme DAO'],
  ['an invisible character between two spaces', 'Acme \u200b DAO', 'Acme DAO'],
  ...RANGES.space.flat().map((code) => [`a space, ${show(code)}`, inside(code), 'A B'] as const),
  ...RANGES.invisible
    .flat()
    .map((code) => [`nothing visible, ${show(code)}`, inside(code), 'AB'] as const),
];

/** Rules cannot check for this. */
export const DECOMPOSED_PROJECTS: readonly (readonly [string, string, string])[] = [
  ['a combining accent', 'Cafe\u0301', 'Café'],
  ['an invisible character before a combining accent', 'Cafe\u034f\u0301', 'Café'],
];

export const BAD_PROJECTS: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a blank', ' '],
  ['101 characters', 'x'.repeat(101)],
  ['101 characters beyond the basic plane', '𝒳'.repeat(101)],
  ['two lines', 'Acme\nDAO'],
  ['two lines, with a carriage return', 'Acme\rDAO'],
  ...RANGES.forbidden.flat().map((code) => [show(code), inside(code)] as const),
  ['only zero-width spaces', '\u200b\u200b'],
  ['only a soft hyphen', '\u00ad'],
  ['only a no-break space', '\u00a0'],
  ['only a byte order mark', '\ufeff'],
  ['only a combining accent', '\u0301'],
  ['only a joiner', '\u200d'],
  ...[0x115f, 0x1160, 0x2800, 0x3164, 0xffa0].map(
    (code) => [`only a filler, U+${code.toString(16)}`, String.fromCharCode(code)] as const,
  ),
];
