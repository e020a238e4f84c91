// Converts the field values of a stored record, whether an SDK or the function has read them. Each
// function returns undefined for a value that it cannot convert.

/** How far in the future a stored time may be, because the clocks of machines differ. */
export const CLOCK_SKEW_MS = 5 * 60 * 1000;

/** The fields of a stored document. */
export type Stored = Readonly<Record<string, unknown>>;

export const storedText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** @param value a time that the function has read, which it keeps as text @returns ISO 8601 in UTC with milliseconds */
export function storedIso(value: unknown): string | undefined {
  const instant = value as { toISOString?: unknown } | null | undefined;
  return typeof instant?.toISOString === 'function' ? instant.toISOString() : undefined;
}

/** @param value a Firestore Timestamp @returns milliseconds since the epoch */
export function storedTimeMs(value: unknown): number | undefined {
  const timestamp = value as { toMillis?: unknown } | null | undefined;
  return typeof timestamp?.toMillis === 'function' ? timestamp.toMillis() : undefined;
}
