// The button that shows more of a long list.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  /** The element whose children are the visible entries. */
  readonly list: RefObject<HTMLElement | null>;
  readonly total: number;
  readonly step: number;
  readonly limit: number;
  readonly onMore: (limit: number) => void;
  readonly children: string;
}

/** Renders nothing when all entries are visible. */
export function ShowMore({ list, total, step, limit, onMore, children }: Props) {
  /** The number of visible entries before the click. */
  const before = useRef<number | undefined>(undefined);
  // The click may have removed the button, so focus the first new entry.
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
