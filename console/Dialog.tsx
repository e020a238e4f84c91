// A modal dialog: the browser's own, which keeps the focus inside.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: ComponentChildren;
  /** Called on Escape; without it the dialog stays until its owner removes it. */
  readonly onCancel?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onCancel, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();

  // Synchronously, so that the next key press goes into the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    const first = dialog?.querySelector('input') ?? heading.current;
    first?.focus();
    // Returns the focus to the element that had it.
    return () => dialog?.close();
  }, []);

  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel?.();
      }}
      // A browser closes it on a second Escape, whatever `cancel` says.
      onClose={(event) => event.currentTarget.isConnected && event.currentTarget.showModal()}
    >
      <h2 id={titleId} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
