// Shows a long list in steps.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './buttons.tsx';

/**
 * @param total the number of entries
 * @returns the ref for the element whose children are the visible entries, how many are visible, and the
 *   button that shows more, if there are more
 */
export function useShowMore<List extends HTMLElement>(total: number, step: number, label: string) {
  const list = useRef<List>(null);
  const [limit, setLimit] = useState(step);
  const isMore = useRef(false);
  // The click may have removed the button, so focus the first new entry.
  useLayoutEffect(() => {
    const first = list.current?.children.item(limit - step);
    if (!isMore.current || !(first instanceof HTMLElement)) return;
    isMore.current = false;
    first.tabIndex = -1;
    first.focus();
  }, [limit]);
  const showMore = (): void => {
    isMore.current = true;
    setLimit(limit + step);
  };
  const button = total > limit && (
    <Button class="spaced" onClick={showMore}>
      {label}
    </Button>
  );
  return { list, limit, button, reset: () => setLimit(step) };
}
