// Owns how an instant is stored in Firestore: written as a date or by its server, read as a Timestamp.

import type { FieldValue } from 'firebase-admin/firestore';
import * as z from 'zod';

/** `FieldValue.serverTimestamp()` lets the database's clock decide. */
export type WrittenTime = Date | FieldValue;

/** Accepts a Timestamp, of whichever copy of the SDK, and reads it as milliseconds. */
export const storedTime = z
  .custom<{ toMillis(): number }>(
    (value) => typeof (value as { toMillis?: unknown } | null)?.toMillis === 'function',
  )
  .transform((timestamp) => timestamp.toMillis());
