// How a page talks to the database: `useLoaded` reads its data, and `useAction` runs what a button
// starts.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isDenied } from './problems.ts';

export interface Loaded<T> {
  /** The value from the last read. It stays while the database cannot be reached. */
  readonly value?: T | undefined;
  /** Why the last read failed. */
  readonly trouble?: 'denied' | 'unreachable';
  /** Reads everything again. */
  readonly reload: () => Promise<void>;
}

const RETRY_MS = 15_000;

/**
 * Loads a page's data at the start and after each change. Loads it again when the tab becomes visible,
 * because another tab or person may have changed it, and every 15 seconds while the database cannot be
 * reached.
 *
 * @param read pass the same function until the query changes
 * @param everyMs how often a visible page loads it again, because other people may have changed it
 */
export function useLoaded<T>(read: () => Promise<T>, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({});
  const latest = useRef(0);

  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    // An earlier read that ends later is out of date.
    const isLatest = (): boolean => mine === latest.current;
    try {
      const value = await read();
      if (isLatest()) setState({ value });
    } catch (error) {
      if (!isLatest()) return;
      if (isDenied(error)) return setState({ trouble: 'denied' });
      setState(({ value }) => ({ value, trouble: 'unreachable' }));
      setTimeout(() => isLatest() && reload(), RETRY_MS);
    }
  }, [read]);

  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === 'visible') void reload();
    };
    check();
    document.addEventListener('visibilitychange', check);
    addEventListener('online', check);
    const timer = everyMs === undefined ? undefined : setInterval(check, everyMs);
    return () => {
      latest.current += 1;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
      removeEventListener('online', check);
    };
  }, [reload]);

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
