// Shows a secret for copying. It is only text content, never an attribute or the value of a field.

import { useRef } from 'preact/hooks';
import { CopyButton } from './CopyButton.tsx';

interface Props {
  readonly text: string;
  /** Tells screen readers what the secret is. */
  readonly label: string;
}

export function Secret({ text, label }: Props) {
  const shown = useRef<HTMLElement>(null);
  return (
    <div class="secret">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and this has none */}
      <div role="group" aria-label={label}>
        <code ref={shown}>{text}</code>
      </div>
      <CopyButton from={shown}>Copy</CopyButton>
    </div>
  );
}
