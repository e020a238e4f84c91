// Creates a key: asks for the project, stores the record, and shows the key once. The key exists only
// in this component's memory, and is shown only after the database has confirmed its record.

import { useEffect, useRef, useState } from 'preact/hooks';
import { hashApiKey } from '../../records/apiKey.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { Dialog } from '../Dialog.tsx';
import { isDenied } from '../problems.ts';
import { KeyForm } from './KeyForm.tsx';
import type { NewKey, StoredKey } from './keyStore.ts';
import { NotStored, Shown, Unknown } from './newKeyOutcomes.tsx';

interface Props {
  /** The key to rotate. If it is undefined, the form asks for a project. */
  readonly rotated: StoredKey | undefined;
  /** Stores the key's record. It may be called again with the same key. */
  readonly store: (key: string, details: NewKey) => Promise<void>;
  readonly isSignedOut: () => boolean;
  /** Called with true while there is a key that the admin has not saved yet. */
  readonly onHold: (isHeld: boolean) => void;
  /** @param project the project whose new key was stored and shown, if there is one */
  readonly onClose: (project?: string) => void;
  /** Called when the database denies the write while the admin is signed in. */
  readonly onDenied: () => void;
  /** @param hash the hash of a key that may have been stored but was not shown */
  readonly onNeverShown: (hash: string) => void;
  /** @param hint the last characters of a key that may have been stored */
  readonly onGiveUp: (hint: string) => void;
}

type Phase = 'naming' | 'storing' | 'shown' | 'unknown' | 'not stored';

const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

export function NewKeyDialog(props: Props) {
  const { rotated, store, onClose } = props;
  const [phase, setPhase] = useState<Phase>('naming');
  const [details, setDetails] = useState<NewKey>({ project: '' });
  /** Created once, so a retry cannot store a second key. */
  const [key] = useState(() => newApiKey(randomBytes));
  const wasUnknown = useRef(false);
  const { project } = details;
  const hint = key.slice(-4);
  useHold(phase !== 'naming', props.onHold);

  async function attempt(wanted: NewKey): Promise<void> {
    setDetails(wanted);
    setPhase('storing');
    try {
      await store(key, wanted);
      setPhase('shown');
    } catch (error) {
      if (!isDenied(error)) {
        wasUnknown.current = true;
        setPhase('unknown');
        return;
      }
      // An earlier attempt may have stored the key.
      if (wasUnknown.current) props.onNeverShown(hashApiKey(key));
      if (props.isSignedOut()) setPhase('not stored');
      else props.onDenied();
    }
  }

  function giveUp(): void {
    props.onNeverShown(hashApiKey(key));
    props.onGiveUp(hint);
  }

  if (phase === 'shown')
    return <Shown apiKey={key} project={project} onClose={() => onClose(project)} />;
  if (phase === 'unknown')
    return <Unknown hint={hint} onGiveUp={giveUp} onRetry={() => attempt(details)} />;
  if (phase === 'not stored')
    return <NotStored hint={wasUnknown.current ? hint : undefined} onClose={() => onClose()} />;
  const isStoring = phase === 'storing';
  return (
    <Dialog
      title={
        rotated === undefined ? (
          'Create a key'
        ) : (
          <>
            Rotate the key of <bdi>{rotated.project}</bdi>
          </>
        )
      }
      onCancel={() => isStoring || onClose()}
    >
      <KeyForm
        rotated={rotated}
        isStoring={isStoring}
        onSubmit={attempt}
        onCancel={() => onClose()}
      />
    </Dialog>
  );
}

/** Keeps the page after sign-out, and makes the browser ask before leaving or reloading it. */
function useHold(isOn: boolean, onHold: (isHeld: boolean) => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    onHold(true);
    return () => {
      removeEventListener('beforeunload', warn);
      onHold(false);
    };
  }, [isOn]);
}
