// What has just been done: announced, and given the focus, which the closed dialog had.

import { useEffect, useRef } from 'preact/hooks';

export function News({ text }: { text: string }) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (text !== '') element.current?.focus();
  }, [text]);
  return (
    <p ref={element} class="news" role="status" tabIndex={-1}>
      {text}
    </p>
  );
}
