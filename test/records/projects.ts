// Names of projects. records/project.ts and firestore.rules must both accept the good
// ones and refuse the bad ones.

const show = (code: number): string => `U+${code.toString(16)}`;
const inside = (code: number): string => `A${String.fromCodePoint(code)}B`;

const codes = (digits: string): number[] =>
  digits.split(' ').map((hex) => Number.parseInt(hex, 16));

/** The first and the last character of each range of characters that a name cannot contain, by what becomes of them. */
const ENDS = {
  space: codes('a0 1680 2000 200a 202f 205f 3000'),
  invisible: [
    ...codes('ad 34f 115f 1160 17b4 17b5 180b 180f 200b 2060 2065 206a 206f 3164 feff ffa0'),
    ...codes('fff0 fff8 1bca0 1bca3 1d173 1d17a e0000 e001f e0080 e0fff'),
  ],
  forbidden: codes('0 1f 7f 9f 61c 200e 200f 2028 202e 2066 2069'),
};
/** Characters beside these ranges. */
const BESIDE = [
  ...codes('21 7e a1 ac ae 34e 350 61b 61d 115e 1161 167f 1681 17b3 17b6 180a 1810 1fff 200c 200d'),
  ...codes('2010 2027 2030 205e 2070 3001 3163 3165 fe00 fe0f ff9f ffa1 ffef fff9 1bc9f 1bca4'),
  ...codes('1d172 1d17b dffff e0020 e007f e1000'),
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
  ['blanks around it', ' \tAcme DAO\n', 'Acme DAO'],
  ['an invisible character between two spaces', 'Acme \u200b DAO', 'Acme DAO'],
  ...ENDS.space.map((code) => [`a space, ${show(code)}`, inside(code), 'A B'] as const),
  ...ENDS.invisible.map((code) => [`nothing visible, ${show(code)}`, inside(code), 'AB'] as const),
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
  ...ENDS.forbidden.map((code) => [show(code), inside(code)] as const),
  ['only zero-width spaces', '\u200b\u200b'],
  ['only a soft hyphen', '\u00ad'],
  ['only a no-break space', '\u00a0'],
  ['only a byte order mark', '\ufeff'],
  ['only a combining accent', '\u0301'],
  ['only a joiner', '\u200d'],
  ...codes('115f 1160 2800 3164 ffa0').map(
    (code) => [`only a filler, ${show(code)}`, String.fromCharCode(code)] as const,
  ),
];
