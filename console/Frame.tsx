// The layout of both areas: banner, header, sign-in, and the states before sign-in.

import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Area, type Backend, openBackend } from './backend.ts';
import { Notice, PageTitle } from './Notice.tsx';
import { SignIn } from './SignIn.tsx';
import { type Session, signOut, watchSession } from './session.ts';

/** Set by the build. It is null for production, whose code does not contain the banner. */
declare const EMULATORS: object | null;

/** The props of a page that requires sign-in. */
export interface PageProps {
  readonly backend: Backend;
  readonly session: Session;
  /** Whether the user was signed out while `onHold` kept the page. */
  readonly isSignedOut: boolean;
  /** Call it with true while the page must stay visible even after sign-out. */
  readonly onHold: (isHeld: boolean) => void;
}

interface Props {
  readonly area: Area;
  readonly title: string;
  /** What the area is for, shown below the heading of the sign-in form. */
  readonly purpose: string;
  readonly children: (props: PageProps) => ComponentChild;
}

export function Frame({ area, title, purpose, children }: Props) {
  const [backend, setBackend] = useState<Backend>();
  const [failure, setFailure] = useState<ComponentChild>();
  /** Null until Authentication reports whether a user is signed in. */
  const [session, setSession] = useState<Session | undefined | null>(null);
  const [isHeld, setIsHeld] = useState(false);
  const latest = useRef<Session>(undefined);
  if (session) latest.current = session;

  useEffect(() => {
    openBackend(area).then(setBackend, () => setFailure(NO_SETTINGS));
  }, []);
  useEffect(
    () => backend && watchSession(backend.auth, setSession, () => setFailure(UNKNOWN_SESSION)),
    [backend],
  );

  const shown = session ?? (isHeld ? latest.current : undefined);
  const isSignedOut = session === undefined;
  let content: ComponentChild = (
    <p class="loading" role="status">
      Loading…
    </p>
  );
  if (backend && shown) {
    // The key discards one user's state before the next user's page is shown.
    content = (
      <div key={shown.uid}>
        {children({ backend, session: shown, isSignedOut, onHold: setIsHeld })}
      </div>
    );
  } else if (backend && isSignedOut) content = <SignIn backend={backend} purpose={purpose} />;
  else if (failure !== undefined) content = [<PageTitle key="title" text={title} />, failure];

  return (
    <>
      <header>
        {EMULATORS !== null && (
          <p class="banner">Emulators: this page uses demonstration data on this machine.</p>
        )}
        <div class="top row apart">
          <p class="row">
            <span class="mark" aria-hidden="true" />
            Proof of Humanity <span class="muted">{title}</span>
          </p>
          {backend && session && (
            <div class="row">
              <small>{session.email ?? session.uid}</small>
              <button type="button" class="small" onClick={() => signOut(backend.auth)}>
                Sign out
              </button>
            </div>
          )}
        </div>
      </header>
      <main>{content}</main>
    </>
  );
}

const TryAgain = () => (
  <button type="button" onClick={() => location.reload()}>
    Try again
  </button>
);

const NO_SETTINGS = (
  <Notice title="This page could not be opened" kind="problem">
    <p>Its settings did not load. Check your network, then try again.</p>
    <TryAgain />
    <p class="muted">
      For the operator: Firebase Hosting serves the settings at <code>/__/firebase/init.json</code>{' '}
      once the project has a web app.
    </p>
  </Notice>
);

const UNKNOWN_SESSION = (
  <Notice title="Your sign-in could not be checked" kind="problem">
    <p>Firebase Authentication did not respond. Check your network, then try again.</p>
    <TryAgain />
  </Notice>
);
