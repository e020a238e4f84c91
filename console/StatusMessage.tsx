// Announces the result of an action. It takes the focus, because the dialog of the action has closed.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  /** Each new value is announced. */
  readonly content: ComponentChildren;
  /** Whether the user has to do something about it. */
  readonly isWarning?: boolean;
}

export function StatusMessage({ content, isWarning = false }: Props) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (content) element.current?.focus();
  }, [content]);
  return (
    <p
      ref={element}
      class={isWarning ? 'status-message warning' : 'status-message'}
      role="status"
      tabIndex={-1}
    >
      {content}
    </p>
  );
}
