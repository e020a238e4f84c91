// A secret to be copied: shown as text alone, never in an attribute or a field.

import { useRef, useState } from 'preact/hooks';

interface Props {
  readonly text: string;
  /** What it is, for whoever hears the page. */
  readonly label: string;
}

export function Secret({ text, label }: Props) {
  const shown = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState('');

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('Copied.');
    } catch {
      const selection = getSelection();
      if (shown.current) selection?.selectAllChildren(shown.current);
      setOutcome('The browser did not allow copying. It is selected now: press Ctrl+C or ⌘C.');
    }
  }

  return (
    <div class="secret">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and this has none */}
      <div role="group" aria-label={label}>
        <code ref={shown}>{text}</code>
      </div>
      <button type="button" onClick={copy}>
        Copy
      </button>
      <p role="status">{outcome}</p>
    </div>
  );
}
