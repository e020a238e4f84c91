// Loads a page's data from the database at the start and after each change. Loads it again when the
// tab becomes visible, because another tab or person may have changed it.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isDenied } from './problems.ts';

interface State<T> {
  /** The value from the last read. It stays while the database cannot be reached. */
  readonly value: T | undefined;
  readonly isDenied: boolean;
  readonly isUnreachable: boolean;
}

export interface Loaded<T> extends State<T> {
  /** @returns whether the read succeeded */
  readonly reload: () => Promise<boolean>;
}

/**
 * @param read gets the previous value, so that it can read only what may have changed since. Pass the
 *   same function until the query changes.
 */
export function useLoaded<T>(read: (before: T | undefined) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({
    value: undefined,
    isDenied: false,
    isUnreachable: false,
  });
  const latest = useRef(0);
  const before = useRef<T | undefined>(undefined);

  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    const report = (next: State<T>): void => {
      // An earlier read that ends later is out of date.
      if (mine !== latest.current) return;
      before.current = next.value;
      setState(next);
    };
    try {
      report({ value: await read(before.current), isDenied: false, isUnreachable: false });
      return true;
    } catch (error) {
      report(
        isDenied(error)
          ? { value: undefined, isDenied: true, isUnreachable: false }
          : { value: before.current, isDenied: false, isUnreachable: true },
      );
      return false;
    }
  }, [read]);

  useEffect(() => {
    const refresh = (): void => {
      if (document.visibilityState === 'visible') void reload();
    };
    refresh();
    document.addEventListener('visibilitychange', refresh);
    addEventListener('online', refresh);
    return () => {
      document.removeEventListener('visibilitychange', refresh);
      removeEventListener('online', refresh);
    };
  }, [reload]);

  return { ...state, reload };
}
