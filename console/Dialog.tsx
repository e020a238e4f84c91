// Modal dialogs and their forms. They use the browser's `<dialog>`, which keeps the focus inside.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './buttons.tsx';
import { Live } from './Live.tsx';

interface DialogProps {
  readonly title: ComponentChildren;
  /** Called on Escape. Without it, only the parent component can remove the dialog. */
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onCancel, children }: DialogProps) {
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
      class="card stack"
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

/** The error message of a form or field; empty if there is none. */
export const Problem = ({ id, text }: { id?: string | undefined; text: string }) => (
  <p class="problem" role="alert" id={id}>
    <Live>{text}</Live>
  </p>
);

interface FieldProps {
  readonly label: ComponentChildren;
  readonly help?: string;
  /** The name of its value in the form. */
  readonly name: string;
  readonly initial?: string | undefined;
  readonly problem: string;
  readonly onInput?: (text: string) => void;
}

/** A labelled field for one line of text, with help and an error message. */
export function TextField({ label, help, name, initial, problem, onInput }: FieldProps) {
  const helpId = useId();
  const problemId = useId();
  return (
    <>
      <label>
        <span>{label}</span>
        <input
          name={name}
          defaultValue={initial}
          autocomplete="off"
          aria-describedby={`${helpId} ${problemId}`}
          aria-invalid={problem !== ''}
          onInput={(event) => onInput?.(event.currentTarget.value)}
        />
      </label>
      {help && <small id={helpId}>{help}</small>}
      <Problem id={problemId} text={problem} />
    </>
  );
}

interface FormProps extends DialogProps {
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  /** @param typed returns the trimmed text of a field */
  readonly onSubmit: (typed: (name: string) => string) => void;
  /** The button that submits: its text, its text while the form is busy, and its style. */
  readonly button: readonly [string, string, 'primary' | 'danger'];
}

/** A dialog with a form, which stays until the submitted action has ended. */
export function FormDialog({ isBusy, onCancel, onSubmit, button, children, title }: FormProps) {
  const [text, busyText, style] = button;
  const cancel = (): void => {
    if (!isBusy) onCancel();
  };
  return (
    <Dialog title={title} onCancel={cancel}>
      <form
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          if (isBusy) return;
          onSubmit((name) => String(fields.get(name)).trim());
          // Once the problems are shown, the first one is scrolled into view.
          const form = event.currentTarget;
          setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
        }}
      >
        {children}
        <div class="row actions">
          <Button aria-disabled={isBusy} onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" class={style} aria-disabled={isBusy}>
            {isBusy ? busyText : text}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
