// The dialogs after creating a key. They show the key once, or say what happened to it.

import { Dialog } from '../Dialog.tsx';
import { Secret } from '../Secret.tsx';

interface ShownProps {
  readonly apiKey: string;
  readonly project: string;
  readonly onClose: () => void;
}

export const Shown = ({ apiKey, project, onClose }: ShownProps) => (
  <Dialog
    title={
      <>
        The new key of <bdi>{project}</bdi>
      </>
    }
  >
    <p>
      This is the only time that the key is shown. Copy it to where the project keeps its secrets,
      such as a secret manager.
    </p>
    <Secret text={apiKey} label="API key" />
    <div class="row actions">
      <button type="button" class="primary" onClick={onClose}>
        I have stored it
      </button>
    </div>
  </Dialog>
);

interface UnknownProps {
  readonly hint: string;
  readonly onGiveUp: () => void;
  readonly onRetry: () => void;
}

export const Unknown = ({ hint, onGiveUp, onRetry }: UnknownProps) => (
  <Dialog title="It is not known whether the key was stored">
    <p role="alert">
      The database did not confirm it, so the key is not shown. Check your network and try again. A
      retry uses the same key, so there is never a second one.
    </p>
    <p class="muted">
      If you give up, check the list later. If it has a key that ends in <code>{hint}</code>, revoke
      that key, because nobody has it.
    </p>
    <div class="row actions">
      <button type="button" onClick={onGiveUp}>
        Give up
      </button>
      <button type="button" class="primary" onClick={onRetry}>
        Try again
      </button>
    </div>
  </Dialog>
);

interface NotStoredProps {
  /** The last characters of a key that an earlier attempt may have stored. */
  readonly hint: string | undefined;
  readonly onClose: () => void;
}

export const NotStored = ({ hint, onClose }: NotStoredProps) => (
  <Dialog title="You were signed out before the key was stored">
    <p role="alert">
      {hint === undefined ? (
        'No key was created. Sign in and create it again.'
      ) : (
        <>
          An earlier attempt may have stored a key that ends in <code>{hint}</code>. Nobody has that
          key. Sign in, revoke it if it is in the list, and create another one.
        </>
      )}
    </p>
    <div class="row actions">
      <button type="button" class="primary" onClick={onClose}>
        Sign in
      </button>
    </div>
  </Dialog>
);
