// Making a key: the project, storing its record, and showing the key this once. The key is kept in
// this component's memory alone and is shown only after the database has acknowledged its record.

import { useEffect, useState } from 'preact/hooks';
import { newApiKey } from '../../records/apiKeyText.ts';
import { Dialog } from '../Dialog.tsx';
import { isDenied } from '../problems.ts';
import { Secret } from '../Secret.tsx';
import { ProjectForm } from './ProjectForm.tsx';

interface Props {
  /** The project of the key that is rotated; undefined: the form prompts for one. */
  readonly rotated?: string | undefined;
  /** Stores the key's record; may be called again with the same key. */
  readonly store: (key: string, project: string) => Promise<void>;
  /** @param created the project for which a key was made, stored and shown */
  readonly onClose: (created?: string) => void;
  /** The database refuses: nothing was stored. */
  readonly onDenied: () => void;
  /** @param hint the last characters of a key of which it is not known whether it was stored */
  readonly onUnknown: (hint: string) => void;
}

type Phase = 'naming' | 'storing' | 'shown' | 'unknown';

const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

export function NewKeyDialog({ rotated, store, onClose, onDenied, onUnknown }: Props) {
  const [phase, setPhase] = useState<Phase>('naming');
  const [project, setProject] = useState('');
  /** Made once, so that another attempt to store it cannot store a second one. */
  const [key] = useState(() => newApiKey(randomBytes));
  useWarningOnLeaving(phase !== 'naming');

  async function attempt(name: string): Promise<void> {
    setProject(name);
    setPhase('storing');
    try {
      await store(key, name);
      setPhase('shown');
    } catch (error) {
      if (isDenied(error)) onDenied();
      else setPhase('unknown');
    }
  }

  if (phase === 'shown') {
    return (
      <Dialog title={`The new key of ${project}`}>
        <p>
          This is the only time that the key is shown. Copy it to where its project keeps secrets,
          such as a secret manager.
        </p>
        <Secret text={key} label="API key" />
        <div class="actions">
          <button type="button" class="primary" onClick={() => onClose(project)}>
            I have stored it
          </button>
        </div>
      </Dialog>
    );
  }

  if (phase === 'unknown') {
    const hint = key.slice(-4);
    return (
      <Dialog title="It is not known whether the key was stored">
        <p role="alert">
          The database did not confirm it, so the key is not shown. Check your network and try
          again: the same key is used, so there is never a second one.
        </p>
        <p class="muted">
          If you give up, look later for a key that ends in <code>{hint}</code> in the list and
          revoke it: nobody has it.
        </p>
        <div class="actions">
          <button type="button" onClick={() => onUnknown(hint)}>
            Give up
          </button>
          <button type="button" class="primary" onClick={() => attempt(project)}>
            Try again
          </button>
        </div>
      </Dialog>
    );
  }

  const isStoring = phase === 'storing';
  return (
    <Dialog
      title={rotated === undefined ? 'Create a key' : `Rotate the key of ${rotated}`}
      onCancel={() => isStoring || onClose()}
    >
      <ProjectForm
        rotated={rotated}
        isStoring={isStoring}
        onSubmit={attempt}
        onCancel={() => onClose()}
      />
    </Dialog>
  );
}

/** The browser asks before the page is left or reloaded. */
function useWarningOnLeaving(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isOn]);
}
