// The time, and how pages show it.

import { useEffect, useState } from 'preact/hooks';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** @param ms milliseconds since the epoch @returns the time in the user's language and time zone */
export const formatTime = (ms: number): string => format.format(ms);

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
export const formatDay = (date: Date): string => dayFormat.format(date);

const TICK_MS = 15_000;

/** Returns the current time in milliseconds since the epoch, and renders the component every 15 seconds. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
