// Formats times in the user's language and time zone.

import { useEffect, useState } from 'preact/hooks';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** @param ms milliseconds since the epoch */
export const formatTime = (ms: number): string => format.format(ms);

const MINUTE_MS = 60_000;

/** @returns for example "23 h 59 min" */
export function formatDuration(ms: number): string {
  const minutes = Math.max(1, Math.floor(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ');
}

const TICK_MS = 15_000;

/**
 * Returns the current time in milliseconds since the epoch, and renders the component again every 15
 * seconds.
 */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
