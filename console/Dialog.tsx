// A modal dialog. It uses the browser's `<dialog>`, which keeps the focus inside.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: ComponentChildren;
  /** Called on Escape. Without it, only the parent component can remove the dialog. */
  readonly onCancel?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onCancel, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();

  // Runs synchronously, so the next key press reaches the dialog.
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
      // Browsers close a dialog on the second Escape even if `cancel` was prevented.
      onClose={(event) => event.currentTarget.isConnected && event.currentTarget.showModal()}
    >
      <h2 id={titleId} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
