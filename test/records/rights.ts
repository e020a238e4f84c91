// Rights of API keys. The rules allow only the valid ones for a new key, and the function follows what
// hand-written records have.

import type { Mode } from '../../contract/endpoint.ts';

/** As stored by an SDK. */
interface KeyRights {
  readonly modes?: readonly Mode[];
  readonly expiresAt?: Date;
  readonly readsPerSecond?: number;
}

/** Each right alone, and all together. */
export const VALID_RIGHTS: readonly (readonly [string, KeyRights])[] = [
  ['one mode', { modes: ['token'] }],
  ['two modes', { modes: ['wallet', 'email'] }],
  ['all modes', { modes: ['wallet', 'email', 'token'] }],
  ['an end', { expiresAt: new Date('2099-01-01') }],
  ['the most reads', { readsPerSecond: Number.MAX_SAFE_INTEGER }],
  ['all rights', { modes: ['token'], expiresAt: new Date('2099-01-01'), readsPerSecond: 1_000 }],
];

const valuesOf = <Right extends keyof KeyRights>(right: Right, values: readonly unknown[]) =>
  values.map((value) => [right, value] as const);

/** A field, and a value that is not valid in it. */
export const INVALID_RIGHTS = [
  ...valuesOf('modes', [
    'wallet',
    null,
    { 0: 'wallet' },
    [],
    ['wallet', 'phone'],
    ['Wallet'],
    ['wallet', 0],
  ]),
  ...valuesOf('expiresAt', ['2099-01-01T00:00:00Z', Date.UTC(2099, 0), null]),
  ...valuesOf('readsPerSecond', ['500', null, 0, -1, 0.5, 2 ** 53, Infinity, NaN]),
];
