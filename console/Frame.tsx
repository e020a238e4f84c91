// The layout of both areas: banner, header, sign-in, and the states before sign-in.

import { type ComponentChild, type ComponentType, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Area, type Backend, openBackend } from './backend.ts';
import { Button } from './buttons.tsx';
import { Loading, Notice, PageTitle } from './Notice.tsx';
import { Footer } from './operator.tsx';
import { SignIn } from './SignIn.tsx';
import { type Session, signOut, watchSession } from './session.ts';
import { Name } from './Text.tsx';

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
  readonly Page: ComponentType<PageProps>;
}

/** Empty while the page loads. */
interface State {
  readonly failure?: ComponentChild;
  /** Who is signed in or, while `onHold` keeps the page, was signed in. */
  readonly session?: Session;
  /** Set once nobody is signed in: why the sign-in ended, or an empty string if the user knows. */
  readonly ended?: string;
}

/** Renders an area instead of the message for pages that load slowly. */
export function openArea(props: Props): void {
  document.body.replaceChildren();
  render(<Frame {...props} />, document.body);
}

function Frame({ area, title, purpose, Page }: Props) {
  const [backend, setBackend] = useState<Backend>();
  const [state, setState] = useState<State>({});
  const isHeld = useRef(false);
  useKeptFocus();

  useEffect(() => {
    // A page that is visible stays, because it may show a new key.
    const fail = (failure: ComponentChild): void =>
      setState((before) => (before.session ? before : { failure }));
    const report = (session: Session | undefined, ended: string): void =>
      setState((before) => {
        if (session) return { session };
        return isHeld.current ? { ...before, ended } : { ended };
      });
    openBackend(area).then(
      (opened) => {
        setBackend(opened);
        watchSession(opened.auth, report, () => fail(UNKNOWN_SESSION));
      },
      (error: Error) => fail(error.name === 'SecurityError' ? NO_STORAGE : NO_SETTINGS),
    );
  }, []);

  function onHold(hold: boolean): void {
    isHeld.current = hold;
    if (hold) return;
    setState((before) => (before.ended === undefined ? before : { ended: before.ended }));
  }

  function content(): ComponentChild {
    const { failure, session, ended } = state;
    if (failure) return [<PageTitle key="title" text={title} />, failure];
    const isSignedOut = ended !== undefined;
    if (backend && session)
      // The key discards one user's state before the next user's page is shown.
      return <Page key={session.uid} {...{ backend, session, isSignedOut, onHold }} />;
    if (backend && isSignedOut)
      return <SignIn backend={backend} purpose={purpose} reason={ended} />;
    return <Loading />;
  }

  return (
    <>
      <Header
        title={title}
        email={state.ended === undefined ? state.session?.email : undefined}
        onSignOut={() => backend && signOut(backend.auth)}
      />
      <main>{content()}</main>
      <Footer />
    </>
  );
}

interface HeaderProps {
  readonly title: string;
  /** Of the user, if somebody is signed in. */
  readonly email: string | undefined;
  readonly onSignOut: () => void;
}

const Header = ({ title, email, onSignOut }: HeaderProps) => (
  <header>
    {EMULATORS !== null && (
      <p class="banner">Emulators: this page uses demonstration data on this machine.</p>
    )}
    <div class="top row apart">
      <p class="row">
        <a class="home row" href="/">
          <span class="mark" aria-hidden="true" />
          Proof of Humanity
        </a>
        <span class="muted">{title}</span>
      </p>
      {email !== undefined && (
        <div class="row">
          <small>
            <Name>{email}</Name>
          </small>
          <Button class="small" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      )}
    </div>
  </header>
);

/** Focuses the heading when the focused element disappears, so that the focus never falls to the body. */
function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    const remember = (): void => {
      focused = document.activeElement;
    };
    const observer = new MutationObserver(() => {
      if (focused?.isConnected !== false || document.activeElement !== document.body) return;
      document.querySelector('h1')?.focus();
    });
    addEventListener('focusin', remember);
    observer.observe(document.body, { childList: true, subtree: true });
  }, []);
}

const failure = (title: string, text: string) => (
  <Notice title={title} kind="problem">
    <p>{text}</p>
    <Button onClick={() => location.reload()}>Try again</Button>
  </Notice>
);

const NO_STORAGE = failure(
  'Your browser blocks this page’s storage',
  'The page stores your sign-in in the browser. Allow cookies and site data for this site in the browser’s settings, then try again.',
);

const NO_SETTINGS = failure(
  'This page could not be opened',
  'Its settings did not load from /__/firebase/init.json. Check your network, then try again.',
);

const UNKNOWN_SESSION = failure(
  'Your sign-in could not be checked',
  'Firebase Authentication did not respond. Check your network, then try again.',
);
