// A labelled field for one line of text, with help and an error message.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly label: ComponentChildren;
  readonly help?: string;
  readonly value: string;
  /** The error message, or an empty string. */
  readonly problem: string;
  readonly isReadOnly: boolean;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, help, value, problem, isReadOnly, onChange }: Props) {
  const helpId = useId();
  const problemId = useId();
  return (
    <>
      <label>
        <span>{label}</span>
        <input
          value={value}
          autocomplete="off"
          spellcheck={false}
          readOnly={isReadOnly}
          aria-describedby={`${helpId} ${problemId}`}
          aria-invalid={problem !== ''}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      {help !== undefined && (
        <p class="help" id={helpId}>
          {help}
        </p>
      )}
      <p class="problem" id={problemId} role="alert">
        {problem}
      </p>
    </>
  );
}
