// The values of a stored record's fields, whichever SDK has read them. A field of another kind is undefined.

/** A document's fields as they are stored. */
export type Stored = Readonly<Record<string, unknown>>;

export const storedText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** @param value an instant that its reader has as text already @returns ISO 8601 in UTC with milliseconds */
export function storedIso(value: unknown): string | undefined {
  const instant = value as { toISOString?: unknown } | null | undefined;
  return typeof instant?.toISOString === 'function' ? instant.toISOString() : undefined;
}

/** @param value a Timestamp: written as a date or by the server @returns milliseconds since the epoch */
export function storedTimeMs(value: unknown): number | undefined {
  const timestamp = value as { toMillis?: unknown } | null | undefined;
  return typeof timestamp?.toMillis === 'function' ? timestamp.toMillis() : undefined;
}
