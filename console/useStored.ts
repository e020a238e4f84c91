// What is stored, as a page shows it: read at the start, after each change, and when the tab is
// looked at again, since another tab or person may have changed it.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isDenied } from './problems.ts';

export interface Stored<T> {
  /** As it was read last; it stays while the database cannot be reached. */
  readonly value: T | undefined;
  readonly isDenied: boolean;
  readonly isUnreachable: boolean;
  /** @returns whether the database let it be read */
  readonly reload: () => Promise<boolean>;
}

type State<T> = Omit<Stored<T>, 'reload'>;

/** @param read must be the same function as long as it reads the same */
export function useStored<T>(read: () => Promise<T>): Stored<T> {
  const [state, setState] = useState<State<T>>({
    value: undefined,
    isDenied: false,
    isUnreachable: false,
  });
  const latest = useRef(0);

  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    const report = (next: (before: State<T>) => State<T>): void => {
      // An earlier response that arrives later is out of date.
      if (mine === latest.current) setState(next);
    };
    try {
      const value = await read();
      report(() => ({ value, isDenied: false, isUnreachable: false }));
      return true;
    } catch (error) {
      report(({ value }) =>
        isDenied(error)
          ? { value: undefined, isDenied: true, isUnreachable: false }
          : { value, isDenied: false, isUnreachable: true },
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
