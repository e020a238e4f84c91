// Names of projects. records/project.ts and firestore.rules must both accept the good
// ones and refuse the bad ones.

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
];

/** Names as a person may type or paste them, and as they are stored. The rules refuse the typed form. */
export const TYPED_PROJECTS: readonly (readonly [string, string, string])[] = [
  ['two spaces', 'Acme  DAO', 'Acme DAO'],
  ['a no-break space', 'Acme\u00a0DAO', 'Acme DAO'],
  ['an ideographic space', 'Acme\u3000DAO', 'Acme DAO'],
  ['a space before it', ' Acme DAO', 'Acme DAO'],
  ['a space after it', 'Acme DAO ', 'Acme DAO'],
  ['an invisible character between two spaces', 'Acme \u200b DAO', 'Acme DAO'],
  ...[
    0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x200b, 0x2060, 0x2064, 0x206f,
    0x3164, 0xfeff, 0xffa0, 0xfff0, 0x1bca0, 0x1d17a, 0xe0001, 0xe0080, 0xe0fff,
  ].map(
    (code) =>
      [
        `an invisible character, U+${code.toString(16)}`,
        `A${String.fromCodePoint(code)}B`,
        'AB',
      ] as const,
  ),
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
  ['a line separator', 'Acme\u2028DAO'],
  ['a paragraph separator', 'Acme\u2029DAO'],
  ['a tab', 'Acme\tDAO'],
  ['a null', 'Acme\0DAO'],
  ['an escape', 'Acme\u001bDAO'],
  ['a delete', 'Acme\u007fDAO'],
  ['a control character of Latin 1', 'Acme\u0085DAO'],
  ...[
    0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
  ].map(
    (code) =>
      [
        `a bidirectional character, U+${code.toString(16)}`,
        `A${String.fromCharCode(code)}B`,
      ] as const,
  ),
  ['only zero-width spaces', '\u200b\u200b'],
  ['only a soft hyphen', '\u00ad'],
  ['only a no-break space', '\u00a0'],
  ['only a byte order mark', '\ufeff'],
  ['only a combining accent', '\u0301'],
  ...[0x115f, 0x1160, 0x2800, 0x3164, 0xffa0].map(
    (code) => [`only a filler, U+${code.toString(16)}`, String.fromCharCode(code)] as const,
  ),
];
