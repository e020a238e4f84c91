// Copies a text that the page shows.

import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';

interface Props {
  /** The element that shows the text. */
  readonly from: RefObject<HTMLElement | null>;
  /** The button's name where there are several; it begins with what the button shows. */
  readonly label?: string;
  readonly style?: 'small' | 'link';
  readonly children: string;
}

export function CopyButton({ from, label, style, children }: Props) {
  const [outcome, setOutcome] = useState('');

  async function copy(): Promise<void> {
    if (!from.current) return;
    try {
      await navigator.clipboard.writeText(from.current.textContent);
      setOutcome('Copied.');
    } catch {
      getSelection()?.selectAllChildren(from.current);
      setOutcome('The browser did not allow copying. It is selected now: press Ctrl+C or ⌘C.');
    }
  }

  return (
    <>
      <button type="button" class={style} aria-label={label} onClick={copy}>
        {children}
      </button>
      <span role="status">{outcome}</span>
    </>
  );
}
