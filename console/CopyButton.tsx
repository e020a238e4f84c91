// Copies text that is shown on the page.

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

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

interface SecretProps {
  readonly text: string;
  /** Tells screen readers what the secret is. */
  readonly label: string;
}

/** Shows a secret for copying. It is only text content, never an attribute or the value of a field. */
export function Secret({ text, label }: SecretProps) {
  const shown = useRef<HTMLElement>(null);
  return (
    <div class="secret">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and this has none */}
      <div role="group" aria-label={label}>
        <code ref={shown}>{text}</code>
      </div>
      <CopyButton from={shown} style="primary">
        Copy
      </CopyButton>
    </div>
  );
}
