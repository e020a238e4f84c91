// Creates a key: asks for the project, stores the record, and shows the key once. The key exists only
// in this component's memory, and is shown only after the database has confirmed its record.

import { useEffect, useRef, useState } from 'preact/hooks';
import { hashApiKey } from '../../records/apiKey.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { Secret } from '../CopyButton.tsx';
import { Dialog } from '../Dialog.tsx';
import { isDenied } from '../problems.ts';
import { TextField } from '../TextField.tsx';
import type { NewKey, StoredKey } from './keyStore.ts';

interface Props {
  /** The key to rotate. If it is undefined, the form asks for a project. */
  readonly rotated: StoredKey | undefined;
  /** Stores the key's record. It may be called again with the same key. */
  readonly store: (key: string, details: NewKey) => Promise<void>;
  readonly isSignedOut: () => boolean;
  /** Called with true while there is a key that the admin has not saved yet. */
  readonly onHold: (isHeld: boolean) => void;
  /** @param created the new key's project and hash, if it was stored and shown */
  readonly onClose: (created?: { project: string; hash: string }) => void;
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
  const hint = key.slice(-4);
  const hash = hashApiKey(key);
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
      if (wasUnknown.current) props.onNeverShown(hash);
      if (props.isSignedOut()) setPhase('not stored');
      else props.onDenied();
    }
  }

  function giveUp(): void {
    props.onNeverShown(hash);
    props.onGiveUp(hint);
  }

  const { project } = details;
  if (phase === 'shown')
    return <Shown apiKey={key} project={project} onClose={() => onClose({ project, hash })} />;
  if (phase === 'unknown')
    return <Unknown hint={hint} onGiveUp={giveUp} onRetry={() => attempt(details)} />;
  if (phase === 'not stored')
    return <NotStored hint={wasUnknown.current ? hint : undefined} onClose={() => onClose()} />;
  const isStoring = phase === 'storing';
  const cancel = (): void => {
    if (!isStoring) onClose();
  };
  const title = rotated ? (
    <>
      Rotate the key of <bdi>{rotated.project}</bdi>
    </>
  ) : (
    'Create a key'
  );
  return (
    <Dialog title={title} onCancel={cancel}>
      <KeyForm rotated={rotated} isStoring={isStoring} onSubmit={attempt} onCancel={cancel} />
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

interface FormProps {
  readonly rotated: StoredKey | undefined;
  readonly isStoring: boolean;
  readonly onSubmit: (details: NewKey) => void;
  readonly onCancel: () => void;
}

const ruleFor = (name: string): string =>
  name.trim() === '' ? 'Type the project’s name.' : PROJECT_RULE;

/** Asks for the contact, and for the project unless a key is rotated. */
function KeyForm({ rotated, isStoring, onSubmit, onCancel }: FormProps) {
  const [name, setName] = useState(rotated?.project ?? '');
  const [contact, setContact] = useState(rotated?.contact ?? '');
  const [problems, setProblems] = useState({ project: '', contact: '' });

  function submit(event: Event): void {
    event.preventDefault();
    if (isStoring) return;
    const project = parseProject(name);
    const parsedContact = parseProject(contact);
    const isContactWrong = contact.trim() !== '' && parsedContact === undefined;
    setProblems({
      project: project === undefined ? ruleFor(name) : '',
      contact: isContactWrong ? CONTACT_RULE : '',
    });
    if (project === undefined || isContactWrong) return;
    onSubmit({
      project,
      ...(parsedContact !== undefined && { contact: parsedContact }),
      ...(rotated && { rotates: rotated.hash }),
    });
  }

  return (
    <form onSubmit={submit} aria-busy={isStoring}>
      {rotated === undefined ? (
        <TextField
          label="Project"
          help="Who the key is for, for example “Acme DAO”. It cannot be changed later."
          value={name}
          problem={problems.project}
          isReadOnly={isStoring}
          onChange={setName}
        />
      ) : (
        <p>
          This creates a second key for <bdi>{name}</bdi>. The old one stays active until you revoke
          it, so nothing stops working.
        </p>
      )}
      <TextField
        label="Contact (optional)"
        help="Who to contact if the key leaks, for example “security@acme.example”."
        value={contact}
        problem={problems.contact}
        isReadOnly={isStoring}
        onChange={setContact}
      />
      <div class="row actions">
        <button type="button" aria-disabled={isStoring} onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="primary" aria-disabled={isStoring}>
          {isStoring ? 'Storing…' : 'Create key'}
        </button>
      </div>
    </form>
  );
}

interface ShownProps {
  readonly apiKey: string;
  readonly project: string;
  readonly onClose: () => void;
}

const Shown = ({ apiKey, project, onClose }: ShownProps) => (
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
      <button type="button" onClick={onClose}>
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

const Unknown = ({ hint, onGiveUp, onRetry }: UnknownProps) => (
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

const NotStored = ({ hint, onClose }: NotStoredProps) => (
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
