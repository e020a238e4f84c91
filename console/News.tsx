// What has just been done: announced, and given the focus, which the closed dialog had.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  /** Another object, another piece of news. */
  readonly content: ComponentChildren;
  /** Whether it is not good news. */
  readonly isWarning?: boolean;
}

export function News({ content, isWarning = false }: Props) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (content) element.current?.focus();
  }, [content]);
  return (
    <p ref={element} class={isWarning ? 'news warning' : 'news'} role="status" tabIndex={-1}>
      {content}
    </p>
  );
}
