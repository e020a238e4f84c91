// The collections, and the field values of their documents, whether an SDK or the function has read them. Each function
// returns a time in milliseconds since the epoch, and undefined for a value that it cannot convert.

import { regexes } from 'zod/v4/core';

/** The names of the Firestore collections. */
export const COLLECTIONS = {
  apiKeys: 'apiKeys',
  verificationTokens: 'verificationTokens',
  admins: 'admins',
  keyUse: 'keyUse',
  attestations: 'attestations',
} as const;

/** How far in the future a stored time may be, because the clocks of machines differ. */
export const CLOCK_SKEW_MS = 5 * 60 * 1000;

/** The fields of a stored document. */
export type Stored = Readonly<Record<string, unknown>>;

export const storedText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** A stored time, as the SDKs' Timestamp and the function's Instant have it. */
interface StoredTime {
  toMillis(): number;
}

/** A time that the function has read, which stays text. */
export class Instant implements StoredTime {
  /** ISO 8601 in UTC with milliseconds. */
  readonly iso: string;

  constructor(iso: string) {
    this.iso = iso;
  }

  toMillis(): number {
    return Date.parse(this.iso);
  }
}

/** @param value a stored time */
export function storedTimeMs(value: unknown): number | undefined {
  const time = value as Partial<StoredTime> | null | undefined;
  return typeof time?.toMillis === 'function' ? time.toMillis() : undefined;
}

/** The form that Date.parse reads in every browser. It has no February 30. */
const STANDARD = regexes.datetime({ offset: true });
const OTHER = /^(.{10})[Tt](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/;

/**
 * Parses a time in ISO 8601 with a time zone, in the forms that other languages write. Letters may have either case.
 * The seconds may be missing, a fraction may follow a point or a comma, and second 60 (a leap second) counts as second
 * 59. The zone is `Z`, `±hh:mm`, `±hhmm` or `±hh`.
 *
 * @returns the time, rounded down, or NaN if the text has another form
 */
export function parseTime(text: string): number {
  if (STANDARD.test(text)) return Date.parse(text);
  const standard = text.replace(
    OTHER,
    (_, date, minute, second = '00', fraction = '0', hours = '+00', minutes = '00') =>
      `${date}T${minute}:${second === '60' ? '59' : second}.${fraction}${hours}:${minutes}`,
  );
  return STANDARD.test(standard) ? Date.parse(standard) : Number.NaN;
}
