// Loads a page's data from the database at the start and after each change. Loads it again when the
// tab becomes visible, because another tab or person may have changed it, and every 15 seconds while
// the database cannot be reached.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isDenied } from './problems.ts';

interface State<T> {
  /** The value from the last read. It stays while the database cannot be reached. */
  readonly value: T | undefined;
  readonly isDenied: boolean;
  readonly isUnreachable: boolean;
}

export interface Loaded<T> extends State<T> {
  /** Reads everything again. @returns whether the read succeeded */
  readonly reload: () => Promise<boolean>;
}

const RETRY_MS = 15_000;

/**
 * @param read gets the previous value when it has to read only what may have changed since. Pass the
 *   same function until the query changes.
 */
export function useLoaded<T>(read: (before: T | undefined) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({
    value: undefined,
    isDenied: false,
    isUnreachable: false,
  });
  const latest = useRef(0);
  const value = useRef<T | undefined>(undefined);
  /** Whether the next read has to read everything. */
  const isStale = useRef(true);

  const refresh = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    const report = (next: State<T>): void => {
      // An earlier read that ends later is out of date.
      if (mine !== latest.current) return;
      value.current = next.value;
      isStale.current = next.isUnreachable || next.value === undefined;
      setState(next);
    };
    try {
      const next = await read(isStale.current ? undefined : value.current);
      report({ value: next, isDenied: false, isUnreachable: false });
      return true;
    } catch (error) {
      report(
        isDenied(error)
          ? { value: undefined, isDenied: true, isUnreachable: false }
          : { value: value.current, isDenied: false, isUnreachable: true },
      );
      return false;
    }
  }, [read]);

  const reload = useCallback(() => {
    isStale.current = true;
    return refresh();
  }, [refresh]);

  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === 'visible') void refresh();
    };
    check();
    document.addEventListener('visibilitychange', check);
    addEventListener('online', check);
    return () => {
      document.removeEventListener('visibilitychange', check);
      removeEventListener('online', check);
    };
  }, [refresh]);

  useEffect(() => {
    if (!state.isUnreachable) return undefined;
    const timer = setInterval(() => void refresh(), RETRY_MS);
    return () => clearInterval(timer);
  }, [state.isUnreachable, refresh]);

  return { ...state, reload };
}
