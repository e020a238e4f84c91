// Modal dialogs and their forms. They use the browser's `<dialog>`, which keeps the focus inside.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from './requests.ts';

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
export const Problem = ({ id, text }: { id?: string; text: string }) => (
  <p class="problem" role="alert" {...(id && { id })}>
    {text}
  </p>
);

interface FieldProps {
  readonly label: ComponentChildren;
  readonly help?: string;
  readonly value: string;
  readonly problem: string;
  readonly isReadOnly: boolean;
  readonly onChange: (value: string) => void;
}

/** A labelled field for one line of text, with help and an error message. */
export function TextField({ label, help, value, problem, isReadOnly, onChange }: FieldProps) {
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
      <small id={helpId}>{help}</small>
      <Problem id={problemId} text={problem} />
    </>
  );
}

interface FormProps extends DialogProps {
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly onSubmit: () => void;
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
          if (!isBusy) onSubmit();
        }}
      >
        {children}
        <div class="row actions">
          <button type="button" aria-disabled={isBusy} onClick={cancel}>
            Cancel
          </button>
          <button type="submit" class={style} aria-disabled={isBusy}>
            {isBusy ? busyText : text}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface RevokeProps {
  readonly title: string;
  readonly button: string;
  /** What the user has to type first, and how it is called. */
  readonly confirmation?: { readonly text: string; readonly name: string };
  /** Resolves once everything is revoked. The parent component then removes the dialog. */
  readonly revoke: () => Promise<void>;
  readonly describe: (error: unknown) => string;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** Revoking is final, so the user confirms it first. */
export function RevokeDialog(props: RevokeProps) {
  const { title, button, confirmation, revoke, describe, onCancel, children } = props;
  const { isBusy, problem, setProblem, run } = useAction();
  const [typed, setTyped] = useState('');

  function submit(): void {
    if (confirmation === undefined || typed.trim() === confirmation.text)
      void run(revoke, describe);
    else setProblem(`This is not ${confirmation.name}. Type ${confirmation.text}.`);
  }

  return (
    <FormDialog
      title={title}
      isBusy={isBusy}
      button={[button, 'Revoking…', 'danger']}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {children}
      {confirmation === undefined ? (
        <Problem text={problem} />
      ) : (
        <TextField
          label={
            <>
              Type {confirmation.name}, <code>{confirmation.text}</code>
            </>
          }
          value={typed}
          problem={problem}
          isReadOnly={isBusy}
          onChange={setTyped}
        />
      )}
    </FormDialog>
  );
}
