// Creates a key: asks for the project, stores the record, and shows the key once. The key exists only
// in this component's memory, and is shown only after the database has confirmed its record.

import { useEffect, useRef, useState } from 'preact/hooks';
import { DAY_MS, ENDPOINT_PATH, KEY_HEADER } from '../../contract/endpoint.ts';
import { describeRights, type StoredKey } from '../../records/apiKey.ts';
import { formatUtc, newApiKey } from '../../records/apiKeyText.ts';
import { Button, CopyButton } from '../buttons.tsx';
import { Dialog, Problem } from '../Dialog.tsx';
import { isDenied } from '../problems.ts';
import { capitalized, Name } from '../Text.tsx';
import { formatTime } from '../times.ts';
import { type Entered, KeyForm } from './KeyForm.tsx';
import { type NewKey, storeKey } from './keyStore.ts';
import { site, useShared } from './shared.ts';

type Phase = 'naming' | 'storing' | 'shown' | 'unknown';

/** @param rotated the key to rotate; if it is undefined, the form asks for a project */
export function NewKeyDialog({ rotated }: { rotated: StoredKey | undefined }) {
  const { backend, author, nowMs, describeUse, onHold, onStored, onDenied, close } = useShared();
  const [phase, setPhase] = useState<Phase>('naming');
  const [details, setDetails] = useState<NewKey>({ project: '', details: {} });
  /** Created once, so a retry cannot store a second key. */
  const [key] = useState(() => newApiKey((count) => crypto.getRandomValues(new Uint8Array(count))));
  const hint = <code>{key.slice(-4)}</code>;
  const shown = useRef<HTMLElement>(null);
  const command = useRef<HTMLElement>(null);
  const message = useRef<HTMLElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  const [isAsked, setIsAsked] = useState(false);

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
      await storeKey(backend.db, author, key, wanted, onStored);
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

  function submit({ project, details, endsOld }: Entered): void {
    const end = endsOld ? nowMs + 7 * DAY_MS : undefined;
    void attempt({ project, details, ...(rotated && { replaced: { hash: rotated.hash, end } }) });
  }

  function finish(): void {
    setIsAsked(true);
    if (!isCopied && !isAsked) return;
    const ends = Math.min(details.replaced?.end ?? Infinity, rotated?.expiresAt ?? Infinity);
    const until =
      ends < Infinity ? `until ${formatTime(ends)}, unless you revoke it` : 'until you revoke it';
    close(
      <>
        A key for {project} was created.
        {rotated && (
          <>
            {' '}
            The old one, <Name>{rotated.id}</Name>, works {until}.
          </>
        )}
      </>,
    );
  }

  const project = <Name>{details.project}</Name>;
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
          <code class="card" ref={shown} onCopy={() => setIsCopied(true)}>
            {key}
          </code>
          <CopyButton
            from={shown}
            style={isCopied ? '' : 'primary'}
            onCopied={() => setIsCopied(true)}
          >
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
        <details>
          <summary>What to write to the integrator</summary>
          <code class="card message" ref={message}>
            {messageFor(details, nowMs)}
          </code>
        </details>
        {isAsked && !isCopied && (
          <Problem text="You have not copied the key. Without it, the key is of no use." />
        )}
        <div class="row actions">
          <CopyButton from={message}>Copy message for the integrator</CopyButton>
          <Button class={isCopied ? 'primary' : ''} onClick={finish}>
            {isAsked && !isCopied ? 'Close without the key' : 'I have stored it'}
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
  return (
    <KeyForm
      title={
        rotated ? (
          <>
            Rotate the key of <Name>{rotated.project}</Name>
          </>
        ) : (
          'Create a key'
        )
      }
      basis={rotated}
      isRotation={rotated !== undefined}
      isBusy={phase === 'storing'}
      button={['Create key', 'Storing…', 'primary']}
      onSubmit={submit}
    >
      {rotated && <Rotation old={rotated} use={describeUse(rotated, formatTime)} />}
    </KeyForm>
  );
}

const Rotation = ({ old, use }: { old: StoredKey; use: string }) => (
  <>
    <p>
      This creates a second key for <Name>{old.project}</Name>. Nothing stops working now, because
      the old one works until{' '}
      {old.expiresAt === undefined ? 'you revoke it' : formatTime(old.expiresAt)}, unless you end it
      earlier.
    </p>
    <p>
      {capitalized(use)}.
      {old.replacedBy !== undefined && (
        <>
          {' '}
          The key <Name>{old.replacedBy}</Name> already replaces it. If nobody has that key, revoke
          it.
        </>
      )}
    </p>
  </>
);

/** What the integrator has to know, without the key. */
function messageFor({ project, details }: NewKey, nowMs: number): string {
  return [
    'You get your key for the Proof-of-Humanity lookup separately. Keep it in a secret manager, on servers only.',
    `Guide: ${site}/guide.html`,
    `Endpoint: ${site}${ENDPOINT_PATH}`,
    `Your project’s exact name: ${project}`,
    `The key allows: ${describeRights(details, nowMs, formatUtc)}`,
    `Where people make tokens for you: ${location.origin}/identity/?for=${encodeURIComponent(project)}`,
  ].join('\n');
}

/** Reads the key from the terminal, so that neither the history nor the list of processes shows it. */
const testCommand = (at: string): string =>
  `read -rs KEY && printf '${KEY_HEADER}: %s' "$KEY" | curl -s -H @- ${at}${ENDPOINT_PATH}`;
