// The time, and how pages show it.

import { useEffect, useState } from 'preact/hooks';
import { HOUR_MS } from '../contract/endpoint.ts';

const MINUTE_MS = 60 * 1000;

const relative = new Intl.RelativeTimeFormat();
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Isolates text of another language or direction than the line around it (U+2068 and U+2069). */
const isolate = (text: string): string => `\u2068${text}\u2069`;

/** The time in the user's language and time zone. */
export const formatTime = (ms: number): string => isolate(format.format(ms));

/** @param ms a duration @returns for example "in 23 hours", in the user's language */
export const formatLeft = (ms: number): string =>
  isolate(
    ms < HOUR_MS
      ? relative.format(Math.floor(ms / MINUTE_MS), 'minute')
      : relative.format(Math.floor(ms / HOUR_MS), 'hour'),
  );

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
export const formatDay = (ms: number): string => isolate(dayFormat.format(ms));

const TICK_MS = 15_000;

/** Returns the current time, and renders the component every 15 seconds. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
