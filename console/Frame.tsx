// The frame of both pages: banner, header, sign-in, and the states before somebody is signed in.

import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Backend, openBackend } from './backend.ts';
import { Notice } from './Notice.tsx';
import { SignIn } from './SignIn.tsx';
import { type Session, signOut, watchSession } from './session.ts';

/** Filled in by the build; null for production, where the banner is left out of the code. */
declare const EMULATORS: object | null;

interface Props {
  readonly area: string;
  /** What a person finds here, under the sign-in's heading. */
  readonly purpose: string;
  readonly children: (backend: Backend, session: Session) => ComponentChild;
}

export function Frame({ area, purpose, children }: Props) {
  const [backend, setBackend] = useState<Backend>();
  const [hasFailed, setHasFailed] = useState(false);
  /** null until it is known whether somebody is signed in. */
  const [session, setSession] = useState<Session | undefined | null>(null);

  useEffect(() => {
    openBackend().then(setBackend, () => setHasFailed(true));
  }, []);
  useEffect(() => backend && watchSession(backend.auth, setSession), [backend]);

  let content: ComponentChild = (
    <p class="loading" role="status">
      Loading…
    </p>
  );
  if (hasFailed) content = <NoSettings />;
  else if (backend && session === undefined)
    content = <SignIn backend={backend} purpose={purpose} />;
  // Keyed, so that nothing of one person's page is left for the next.
  else if (backend && session) content = <div key={session.uid}>{children(backend, session)}</div>;

  return (
    <>
      <header>
        {EMULATORS !== null && (
          <p class="banner">Emulators: this page works with demonstration data on this machine.</p>
        )}
        <div class="top">
          <p class="brand">
            <span class="mark" aria-hidden="true" />
            Proof of Humanity <span class="area">{area}</span>
          </p>
          {backend && session && (
            <div class="account">
              <span class="who">{session.email ?? session.uid}</span>
              <button type="button" class="quiet" onClick={() => signOut(backend.auth)}>
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

const NoSettings = () => (
  <Notice title="This page could not be opened" kind="problem">
    <p>Its settings did not load. Check your network, then reload the page.</p>
    <p class="muted">
      For whoever runs it: Firebase Hosting serves them at <code>/__/firebase/init.json</code> once
      the project has a web app.
    </p>
  </Notice>
);
