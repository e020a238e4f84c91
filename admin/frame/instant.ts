// Parses a time from the command line.

import { InvalidArgumentError } from 'commander';
import * as z from 'zod';

const instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** @param text ISO 8601 with a time zone, or a day in UTC @returns milliseconds since the epoch */
export function parseInstant(text: string): number {
  const parsed = instant.safeParse(text);
  if (parsed.success) return Date.parse(parsed.data);
  throw new InvalidArgumentError('Write it in the form 2026-11-20T09:00:00Z.');
}
