// The records of how much each key is used, which the scheduled job writes for admins. Their ids are key ids. They
// contain no subject.

import { type Stored, storedTimeMs } from './storedValues.ts';

/** The figures are of today and the days before it, in UTC. */
export const USE_DAYS = 30;

const storedDay = (value: unknown): string | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;

const storedCount = (value: unknown): number =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;

export const parseKeyUse = (stored: Stored) => ({
  /** The last day with a request, as in `2026-11-27`. It may be earlier than the figures. */
  lastUsedOn: storedDay(stored['lastUsedOn']),
  lookups: storedCount(stored['lookups']),
  /** How many of the lookups were refused because of the key: its state, its modes or its budget. */
  refused: storedCount(stored['refused']),
  asOf: storedTimeMs(stored['asOf']),
});
export type KeyUse = Readonly<ReturnType<typeof parseKeyUse>>;

/** The fields to merge into a record. Without a request, the last day stays. */
export const newKeyUse = <Time>(
  { lookups, refused, lastUsedOn }: Omit<KeyUse, 'asOf'>,
  asOf: Time,
) => ({ lookups, refused, asOf, ...(lastUsedOn !== undefined && { lastUsedOn }) });

const inWords = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const formatCount = (count: number): string => count.toLocaleString('en');

/**
 * As in "last used 27 Nov, 1,204 lookups in 30 days".
 *
 * @param use undefined if there are no figures of the key
 * @param formatTime to say of when the figures are
 */
export function describeUse(use: KeyUse | undefined, formatTime?: (ms: number) => string): string {
  if (!use) return 'no figures of its use yet';
  const { lookups, refused, lastUsedOn, asOf } = use;
  const isUsed = lookups > 0;
  const noun = lookups === 1 ? 'lookup' : 'lookups';
  return [
    isUsed && lastUsedOn !== undefined && `last used ${inWords.format(Date.parse(lastUsedOn))}`,
    `${isUsed ? `${formatCount(lookups)} ${noun}` : 'not used'} in ${USE_DAYS} days`,
    !isUsed && lastUsedOn !== undefined && `last on ${lastUsedOn}`,
    refused > 0 && `${formatCount(refused)} refused`,
    formatTime && asOf !== undefined && `as of ${formatTime(asOf)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Whether a key is known not to have been used. */
export const isUnused = (use: KeyUse | undefined): boolean => use?.lookups === 0;
