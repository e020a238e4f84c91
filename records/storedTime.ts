// How an instant is stored in Firestore: written as a date or by the server, read as a Timestamp.

import * as z from 'zod';

/** Accepts a Timestamp, of whichever SDK, and reads it as milliseconds since the epoch. */
export const storedTime = z
  .custom<{ toMillis(): number }>(
    (value) => typeof (value as { toMillis?: unknown } | null)?.toMillis === 'function',
  )
  .transform((timestamp) => timestamp.toMillis());
