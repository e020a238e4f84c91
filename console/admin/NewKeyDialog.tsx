// Making a key: the project, storing its record, and showing the key this once. The key is kept in
// this component's memory alone and is shown only after the database has acknowledged its record.

import { useEffect, useRef, useState } from 'preact/hooks';
import { hashApiKey } from '../../records/apiKey.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { Dialog } from '../Dialog.tsx';
import { isDenied } from '../problems.ts';
import { KeyForm } from './KeyForm.tsx';
import type { NewKey, StoredKey } from './keyStore.ts';
import { NotStored, Shown, Unknown } from './newKeyOutcomes.tsx';

interface Props {
  /** The key that is rotated; undefined: the form prompts for a project. */
  readonly rotated: StoredKey | undefined;
  /** Stores the key's record; may be called again with the same key. */
  readonly store: (key: string, details: NewKey) => Promise<void>;
  readonly isSignedOut: () => boolean;
  /** Called with true while there is a key that nobody has yet. */
  readonly onHold: (isHeld: boolean) => void;
  /** @param project for which a key was made, stored and shown, if one was */
  readonly onClose: (project?: string) => void;
  /** The database refuses, and nothing is shown. */
  readonly onDenied: () => void;
  /** @param hash of a key that may be stored and was not shown */
  readonly onUnshown: (hash: string) => void;
  /** @param hint the last characters of a key of which it is not known whether it was stored */
  readonly onGiveUp: (hint: string) => void;
}

type Phase = 'naming' | 'storing' | 'shown' | 'unknown' | 'not stored';

const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

export function NewKeyDialog(props: Props) {
  const { rotated, store, onClose } = props;
  const [phase, setPhase] = useState<Phase>('naming');
  const [details, setDetails] = useState<NewKey>({ project: '' });
  /** Made once, so that another attempt to store it cannot store a second one. */
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
      // An attempt before this one may have stored it.
      if (wasUnknown.current) props.onUnshown(hashApiKey(key));
      if (props.isSignedOut()) setPhase('not stored');
      else props.onDenied();
    }
  }

  function giveUp(): void {
    props.onUnshown(hashApiKey(key));
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

/** The page outlives the sign-in, and the browser asks before it is left or reloaded. */
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
