// Copies text that is shown on the page.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Props {
  /** The element that shows the text. */
  readonly from: RefObject<HTMLElement | null>;
  /** The accessible name, for pages with several buttons. It begins with the visible text. */
  readonly label?: string;
  readonly style?: string;
  readonly children: string;
}

const COPIED_SHOWN_MS = 4_000;

export function CopyButton({ from, label, style = '', children }: Props) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (outcome !== 'copied') return undefined;
    const timer = setTimeout(() => setOutcome(undefined), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy(): Promise<void> {
    if (!from.current) return;
    try {
      await navigator.clipboard.writeText(from.current.textContent);
      setOutcome('copied');
    } catch {
      getSelection()?.selectAllChildren(from.current);
      setOutcome('refused');
    }
  }

  const isCopied = outcome === 'copied';
  return (
    <>
      <button
        type="button"
        class={`copy ${style}`}
        aria-label={isCopied ? undefined : label}
        onClick={copy}
      >
        {isCopied ? 'Copied' : children}
      </button>
      <span role="status" class={isCopied ? 'visually-hidden' : 'refusal'}>
        {isCopied && 'Copied'}
        {outcome === 'refused' &&
          'The browser did not allow copying. The text is selected now, so copy it yourself.'}
      </span>
    </>
  );
}
