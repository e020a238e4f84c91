// Modal dialogs and their forms. They use the browser's `<dialog>`, which keeps the focus inside.

import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './buttons.tsx';
import { Icon } from './Icon.tsx';

interface DialogProps {
  readonly title: ComponentChildren;
  /** Called on Escape. Without it, only the parent component can remove the dialog. */
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onCancel, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  // Runs synchronously, so the next key press reaches the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // Screen readers then read all of it, and a phone's keyboard hides nothing. Of a field in a new dialog, Orca says nothing.
    dialog?.focus();
    // Returns the focus to the element that had it.
    return () => dialog?.close();
  }, []);

  return (
    <dialog
      ref={element}
      class="card stack"
      tabIndex={-1}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel?.();
      }}
      // Browsers close a dialog on the second Escape even if `cancel` was prevented.
      onClose={(event) => {
        if (!event.currentTarget.isConnected) return;
        event.currentTarget.showModal();
        onCancel?.();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

/** The error message of a form or field. Orca announces a new alert, but not a text that comes into an empty one. */
export const Problem = ({ id, text }: { id?: string | undefined; text: string }) =>
  text && (
    <p key={text} class="problem" role="alert" id={id}>
      <Icon name="warning" />
      {text}
    </p>
  );

interface FieldProps {
  readonly label: ComponentChildren;
  readonly help?: string;
  /** The name of its value in the form. */
  readonly name: string;
  readonly initial?: string | undefined;
  /** Why the value cannot be used. Forget it once the user has typed something else. */
  readonly problem?: string | undefined;
  readonly onInput?: (text: string) => void;
  /** More attributes, such as the type. */
  readonly input?: ComponentProps<'input'>;
}

/** A labelled field for one line of text, with help and an error message. */
export function TextField({
  label,
  help,
  name,
  initial,
  problem = '',
  onInput,
  input,
}: FieldProps) {
  const helpId = useId();
  const problemId = useId();
  return (
    <>
      <label>
        <span>{label}</span>
        <input
          autocomplete="off"
          {...input}
          name={name}
          defaultValue={initial}
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
  /** Called when the user changes the field of this name. */
  readonly onChange?: (name: string) => void;
  /** The button that submits: its text, its text while the form is busy, and its style. */
  readonly button: readonly [string, string, 'primary' | 'danger'];
}

/** A dialog with a form, which stays until the submitted action has ended. Escape asks before it discards what was typed. */
export function FormDialog({ isBusy, onCancel, onSubmit, onChange, button, ...dialog }: FormProps) {
  const [text, busyText, style] = button;
  const [loss, setLoss] = useState<'none' | 'possible' | 'asked'>('none');
  const actions = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The question is above the buttons, which a long form may have scrolled away.
    if (loss === 'asked') actions.current?.scrollIntoView({ block: 'nearest' });
  }, [loss]);
  const cancel = (): void => {
    if (!isBusy) onCancel();
  };
  const pressEscape = (): void => {
    if (loss === 'possible' && !isBusy) setLoss('asked');
    else cancel();
  };
  return (
    <Dialog title={dialog.title} onCancel={pressEscape}>
      <form
        aria-busy={isBusy}
        // The browser's own messages look different in each, and stay when a field is corrected.
        noValidate
        onInput={({ target }) => {
          setLoss('possible');
          onChange?.((target as HTMLInputElement).name);
        }}
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
        {dialog.children}
        {loss === 'asked' && (
          <Problem text="You have not saved this. Press Escape again to discard it." />
        )}
        <div ref={actions} class="row actions">
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
