// The frame of both areas: banner, header, sign-in, and the states before somebody is signed in.

import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Area, type Backend, openBackend } from './backend.ts';
import { Notice } from './Notice.tsx';
import { PageTitle } from './PageTitle.tsx';
import { SignIn } from './SignIn.tsx';
import { type Session, signOut, watchSession } from './session.ts';

/** Filled in by the build; null for production, where the banner is left out of the code. */
declare const EMULATORS: object | null;

/** What a page is given once somebody is signed in. */
export interface PageProps {
  readonly backend: Backend;
  readonly session: Session;
  /** The sign-in has ended, and the page is still there because it holds something. */
  readonly isSignedOut: boolean;
  /** To be called with true while the page shows what must outlive the sign-in. */
  readonly onHold: (isHeld: boolean) => void;
}

interface Props {
  readonly area: Area;
  readonly title: string;
  /** What a person finds here, under the sign-in's heading. */
  readonly purpose: string;
  readonly children: (props: PageProps) => ComponentChild;
}

export function Frame({ area, title, purpose, children }: Props) {
  const [backend, setBackend] = useState<Backend>();
  const [failure, setFailure] = useState<ComponentChild>();
  /** null until it is known whether somebody is signed in. */
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
    // Keyed, so that nothing of one person's page is left for the next.
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
          <p class="banner">Emulators: this page works with demonstration data on this machine.</p>
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
      For whoever runs it: Firebase Hosting serves them at <code>/__/firebase/init.json</code> once
      the project has a web app.
    </p>
  </Notice>
);

const UNKNOWN_SESSION = (
  <Notice title="Your sign-in could not be checked" kind="problem">
    <p>Firebase Authentication did not respond. Check your network, then try again.</p>
    <TryAgain />
  </Notice>
);
