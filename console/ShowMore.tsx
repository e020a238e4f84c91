// A long list is shown step by step.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  /** The element whose children are the entries that are shown. */
  readonly list: RefObject<HTMLElement | null>;
  readonly total: number;
  readonly step: number;
  readonly limit: number;
  readonly onMore: (limit: number) => void;
  readonly children: string;
}

/** Renders nothing when all is shown. */
export function ShowMore({ list, total, step, limit, onMore, children }: Props) {
  /** How many were shown before the button was pressed. */
  const before = useRef<number | undefined>(undefined);
  // The button may be gone by now, so the focus goes to the first of the new entries.
  useLayoutEffect(() => {
    if (before.current === undefined) return;
    const first = list.current?.children.item(before.current);
    before.current = undefined;
    if (!(first instanceof HTMLElement)) return;
    first.tabIndex = -1;
    first.focus();
  }, [limit]);
  if (total <= limit) return null;
  return (
    <button
      type="button"
      class="more"
      onClick={() => {
        before.current = limit;
        onMore(limit + step);
      }}
    >
      {children}
    </button>
  );
}
