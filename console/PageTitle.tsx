// A page's heading. It takes the focus when the page replaces another one, for example after sign-in.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function PageTitle({ text, children }: { text: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="row apart">
      <h1 ref={heading} tabIndex={-1}>
        {text}
      </h1>
      {children}
    </div>
  );
}
