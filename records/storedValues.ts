// Converts the field values of a stored record, whichever SDK has read them. Returns undefined for a
// value of another type.

/** The fields of a stored document. */
export type Stored = Readonly<Record<string, unknown>>;

export const storedText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** @param value a time that was kept as text when it was read @returns ISO 8601 in UTC with milliseconds */
export function storedIso(value: unknown): string | undefined {
  const instant = value as { toISOString?: unknown } | null | undefined;
  return typeof instant?.toISOString === 'function' ? instant.toISOString() : undefined;
}

/** @param value a Firestore Timestamp @returns milliseconds since the epoch */
export function storedTimeMs(value: unknown): number | undefined {
  const timestamp = value as { toMillis?: unknown } | null | undefined;
  return typeof timestamp?.toMillis === 'function' ? timestamp.toMillis() : undefined;
}
