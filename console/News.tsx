// What has just been done: announced, and given the focus, which the closed dialog had.

import { useEffect, useRef } from 'preact/hooks';

interface Props {
  readonly text: string;
  /** Whether it is not good news. */
  readonly isWarning?: boolean;
}

export function News({ text, isWarning = false }: Props) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (text !== '') element.current?.focus();
  }, [text]);
  return (
    <p ref={element} class={isWarning ? 'news warning' : 'news'} role="status" tabIndex={-1}>
      {text}
    </p>
  );
}
