// Creates a key: asks for the project, stores the record, and shows the key once. The key exists only
// in this component's memory, and is shown only after the database has confirmed its record.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ENDPOINT_PATH, KEY_HEADER } from '../../contract/endpoint.ts';
import { newApiKey } from '../../records/apiKeyText.ts';
import { Button, CopyButton } from '../buttons.tsx';
import { Dialog } from '../Dialog.tsx';
import { isDenied } from '../problems.ts';
import { KeyForm } from './KeyForm.tsx';
import { type NewKey, type StoredKey, storeKey } from './keyStore.ts';
import { site, useShared } from './shared.ts';

type Phase = 'naming' | 'storing' | 'shown' | 'unknown';

/** @param rotated the key to rotate; if it is undefined, the form asks for a project */
export function NewKeyDialog({ rotated }: { rotated: StoredKey | undefined }) {
  const { backend, session, onHold, onStored, onDenied, close } = useShared();
  const [phase, setPhase] = useState<Phase>('naming');
  const [details, setDetails] = useState<NewKey>({ project: '', details: {} });
  /** Created once, so a retry cannot store a second key. */
  const [key] = useState(() => newApiKey((count) => crypto.getRandomValues(new Uint8Array(count))));
  const hint = <code>{key.slice(-4)}</code>;
  const shown = useRef<HTMLElement>(null);
  const command = useRef<HTMLElement>(null);

  // While the admin has not saved the key, keeps the page after sign-out, and lets the browser ask before
  // leaving or reloading it.
  const mustStay = phase !== 'naming';
  useEffect(() => {
    if (!mustStay) return undefined;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    onHold(true);
    return () => {
      removeEventListener('beforeunload', warn);
      onHold(false);
    };
  }, [mustStay]);

  async function attempt(wanted: NewKey): Promise<void> {
    setDetails(wanted);
    setPhase('storing');
    try {
      await storeKey(backend.db, key, wanted, session.uid, onStored);
      setPhase('shown');
    } catch (error) {
      // An earlier attempt may have stored the key, although this one was denied.
      if (isDenied(error) && phase !== 'unknown') onDenied();
      else setPhase('unknown');
    }
  }

  const giveUp = (): void =>
    close(
      <>
        It is not known whether a key that ends in {hint} was stored. If it appears in the list,
        revoke it, because nobody has it.
      </>,
      true,
    );

  const project = <bdi>{details.project}</bdi>;
  if (phase === 'shown')
    return (
      <Dialog key={phase} title={<>The new key of {project}</>}>
        <p>
          This is the only time that the key is shown. Copy it to where the project keeps its
          secrets, such as a secret manager.
        </p>
        {/* The key is only text content, never an attribute or the value of a field. */}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and this has none */}
        <div class="row" role="group" aria-label="API key">
          <code class="card" ref={shown}>
            {key}
          </code>
          <CopyButton from={shown} style="primary">
            Copy
          </CopyButton>
        </div>
        <p>
          To test it, run this command in a terminal, paste the key and press Enter. If the key
          works, the code in the response is <code>missing_subject</code>. The command keeps the key
          out of the terminal’s history.
        </p>
        <div class="row">
          <code class="card" ref={command}>
            {testCommand(site)}
          </code>
          <CopyButton from={command}>Copy command</CopyButton>
        </div>
        <div class="row actions">
          <Button
            onClick={() =>
              close(
                <>
                  A key for {project} was created.
                  {rotated && ` The old one, ${rotated.id}, works until it ends or is revoked.`}
                </>,
              )
            }
          >
            I have stored it
          </Button>
        </div>
      </Dialog>
    );
  if (phase === 'unknown')
    return (
      <Dialog key={phase} title="It is not known whether the key was stored">
        <p role="alert">
          The database did not confirm it, so the key is not shown. Check your network and try
          again. A retry uses the same key, so there is never a second one.
        </p>
        <div class="row actions">
          <Button onClick={giveUp}>Give up</Button>
          <Button class="primary" onClick={() => attempt(details)}>
            Try again
          </Button>
        </div>
      </Dialog>
    );
  return <KeyForm rotated={rotated} isStoring={phase === 'storing'} onSubmit={attempt} />;
}

/** Reads the key from the terminal, so that neither the history nor the list of processes shows it. */
const testCommand = (at: string): string =>
  `read -rs KEY && printf '${KEY_HEADER}: %s' "$KEY" | curl -s -H @- ${at}${ENDPOINT_PATH}`;
