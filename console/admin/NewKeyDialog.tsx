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

/**
 * While the admin has not saved the key, keeps the page after sign-out, and lets the browser ask before leaving or
 * reloading it.
 */
function useKeptPage(mustStay: boolean): void {
  const { onHold } = useShared();
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
}

/** @param rotated the key to rotate; if it is undefined, the form asks for a project */
export function NewKeyDialog({ rotated }: { rotated: StoredKey | undefined }) {
  const { backend, author, nowMs, describeUse, onStored, onDenied } = useShared();
  const [phase, setPhase] = useState<Phase>('naming');
  const [created, setCreated] = useState<NewKey>({ project: '', details: {} });
  /** Created once, so a retry cannot store a second key. */
  const [key] = useState(() => newApiKey((count) => crypto.getRandomValues(new Uint8Array(count))));
  useKeptPage(phase !== 'naming');

  async function attempt(wanted: NewKey): Promise<void> {
    setCreated(wanted);
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

  function submit({ project, details, endsOld }: Entered): void {
    const end = endsOld ? nowMs + 7 * DAY_MS : undefined;
    void attempt({ project, details, ...(rotated && { replaced: { hash: rotated.hash, end } }) });
  }

  if (phase === 'shown') return <ShownKey {...{ apiKey: key, created, rotated }} />;
  if (phase === 'unknown')
    return <UnknownKey hint={key.slice(-4)} onRetry={() => attempt(created)} />;
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

interface ShownProps {
  readonly apiKey: string;
  readonly created: NewKey;
  readonly rotated: StoredKey | undefined;
}

/** Shows the new key, and what to do with it. Asks once if the admin has not copied it. */
function ShownKey({ apiKey, created, rotated }: ShownProps) {
  const { close, nowMs } = useShared();
  const message = useRef<HTMLElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const isLost = isAsked && !isCopied;
  const project = <Name>{created.project}</Name>;

  function finish(): void {
    setIsAsked(true);
    if (isCopied || isAsked)
      close(
        <>
          A key for {project} was created.
          {rotated && <OldKey old={rotated} end={created.replaced?.end} />}
        </>,
      );
  }

  return (
    <Dialog title={<>The new key of {project}</>}>
      <p>
        This is the only time that the key is shown. Copy it to where the project keeps its secrets,
        such as a secret manager.
      </p>
      <KeyText {...{ apiKey, isCopied }} onCopied={() => setIsCopied(true)} />
      <TestCommand />
      <details>
        <summary>What to write to the integrator</summary>
        <code class="card message" ref={message}>
          {messageFor(created, nowMs)}
        </code>
      </details>
      {isLost && <Problem text="You have not copied the key. Without it, the key is of no use." />}
      <div class="row actions">
        <CopyButton from={message}>Copy message for the integrator</CopyButton>
        <Button class={isCopied ? 'primary' : ''} onClick={finish}>
          {isLost ? 'Close without the key' : 'I have stored it'}
        </Button>
      </div>
    </Dialog>
  );
}

function OldKey({ old, end = Infinity }: { old: StoredKey; end: number | undefined }) {
  const ends = Math.min(end, old.expiresAt ?? Infinity);
  const until =
    ends < Infinity ? `until ${formatTime(ends)}, unless you revoke it` : 'until you revoke it';
  return (
    <>
      {' '}
      The old one, <Name>{old.id}</Name>, works {until}.
    </>
  );
}

type KeyTextProps = Readonly<{ apiKey: string; isCopied: boolean; onCopied: () => void }>;

/** The key is only text content, never an attribute or the value of a field. */
function KeyText({ apiKey, isCopied, onCopied }: KeyTextProps) {
  const shown = useRef<HTMLElement>(null);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and this has none */}
      <div class="row" role="group" aria-label="API key">
        <code class="card" ref={shown} onCopy={onCopied}>
          {apiKey}
        </code>
        <CopyButton from={shown} style={isCopied ? '' : 'primary'} onCopied={onCopied}>
          Copy
        </CopyButton>
      </div>
    </>
  );
}

function TestCommand() {
  const command = useRef<HTMLElement>(null);
  return (
    <>
      <p>
        To test it, run this command in a terminal, paste the key and press Enter. If the key works,
        the code in the response is <code>missing_subject</code>. The command keeps the key out of
        the terminal’s history.
      </p>
      <div class="row">
        <code class="card" ref={command}>
          {testCommand(site)}
        </code>
        <CopyButton from={command}>Copy command</CopyButton>
      </div>
    </>
  );
}

function UnknownKey({ hint, onRetry }: { hint: string; onRetry: () => void }) {
  const { close } = useShared();
  const giveUp = (): void =>
    close(
      <>
        It is not known whether a key that ends in <code>{hint}</code> was stored. If it appears in
        the list, revoke it, because nobody has it.
      </>,
      true,
    );
  return (
    <Dialog title="It is not known whether the key was stored">
      <p role="alert">
        The database did not confirm it, so the key is not shown. Check your network and try again.
        A retry uses the same key, so there is never a second one.
      </p>
      <div class="row actions">
        <Button onClick={giveUp}>Give up</Button>
        <Button class="primary" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </Dialog>
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
