// Values that are wrong in a stored field, by the kind of the field. Some are right in a field of another kind.

import { TYPE_NUMBERS } from '../../contract/result.ts';

export const WRONG = {
  anything: [null, true, 7.5, {}, [], ['1'.repeat(32)], { toMillis: 'x', seconds: 1 }],
  type: [-1, 1.5, Number.NaN, 2 ** 32, TYPE_NUMBERS.length, '1'],
  hash: ['', '0'.repeat(63), 'ab'.repeat(33), `${'ab'.repeat(31)}xy`],
  status: ['', 'Confirmed', 'revoked'],
  address: [
    ...['', 'x', '0OIl', '🙂', ' CcY6J2qG1YPGNpT6H166NRpQr8wCvi2a1eh9M3wwWCf2'],
    ...['1'.repeat(31), '1'.repeat(45), '0'.repeat(44)],
  ],
  time: ['', 'yesterday', '2026-09-03', '2026-09-03T12:00:00', '2026-13-03T12:00Z'],
} as const satisfies Record<string, readonly unknown[]>;
