// Copies text that is shown on the page.

import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';

interface Props {
  /** The element that shows the text. */
  readonly from: RefObject<HTMLElement | null>;
  /** The accessible name, for pages with several buttons. It begins with the visible text. */
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
      setOutcome(
        'The browser did not allow copying. The text is selected now, so press Ctrl+C or ⌘C.',
      );
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
