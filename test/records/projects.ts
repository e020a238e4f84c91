// Names of projects. records/project.ts and firestore.rules must both accept the good ones and refuse the bad ones.

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
  ['a no-break space inside', 'Acme\u00a0DAO'],
  ['a combining accent', 'Cafe\u0301'],
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
