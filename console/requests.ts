// How a page talks to the database: `useLoaded` reads its data, and `useAction` runs what a button
// starts.

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
 * Loads a page's data at the start and after each change. Loads it again when the tab becomes visible,
 * because another tab or person may have changed it, and every 15 seconds while the database cannot be
 * reached.
 *
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
    const next = await read(isStale.current ? undefined : value.current).then(
      (read) => ({ value: read, isDenied: false, isUnreachable: false }),
      (error: unknown) =>
        isDenied(error)
          ? { value: undefined, isDenied: true, isUnreachable: false }
          : { value: value.current, isDenied: false, isUnreachable: true },
    );
    // An earlier read that ends later is out of date.
    if (mine === latest.current) {
      value.current = next.value;
      isStale.current = next.isUnreachable || next.value === undefined;
      setState(next);
    }
    return !next.isDenied && !next.isUnreachable;
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
    const timer = setInterval(reload, RETRY_MS);
    return () => clearInterval(timer);
  }, [state.isUnreachable, reload]);

  return { ...state, reload };
}

/** Runs one action at a time. `problem` is the message about its failure, or an empty string. */
export function useAction() {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');

  async function run(
    action: () => Promise<unknown>,
    describe: (error: unknown) => string,
  ): Promise<void> {
    if (isBusy) return;
    setProblem('');
    setIsBusy(true);
    await action().catch((error: unknown) => setProblem(describe(error)));
    setIsBusy(false);
  }
  return { isBusy, problem, setProblem, run };
}
