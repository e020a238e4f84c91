// The sign-in form, with e-mail address and password or with Google.

import { sendPasswordResetEmail, signInWithEmailAndPassword } from 'firebase/auth';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend } from './backend.ts';
import { Button } from './buttons.tsx';
import { Problem } from './Dialog.tsx';
import { beginGoogle, finishGoogle, isGoogleResponse } from './googleSignIn.ts';
import { Live } from './Live.tsx';
import { PageTitle } from './Notice.tsx';
import { Operator } from './operator.tsx';
import { isUnknownAccount, mailProblem, signInProblem } from './problems.ts';
import { useAction } from './requests.ts';
import { adoptLatestSignOut } from './session.ts';

interface Props {
  readonly backend: Backend;
  readonly purpose: string;
  /** Why an earlier sign-in ended, or an empty string. */
  readonly reason: string;
}

const [SHOWN, HIDDEN] = [{ type: 'text' }, { type: 'password' }] as const;

export function SignIn({ backend: { auth }, purpose, reason }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem, run } = useAction();
  const [statusMessage, setStatusMessage] = useState(reason);
  const [isShown, setIsShown] = useState(false);

  useEffect(() => {
    if (isGoogleResponse()) attempt(() => finishGoogle(auth));
  }, [auth]);

  const typed = (name: string): string => String(new FormData(form.current ?? undefined).get(name));

  function attempt(action: () => Promise<unknown>, describe = signInProblem): void {
    adoptLatestSignOut(auth);
    setStatusMessage('');
    void run(action, describe);
  }

  function reset(): void {
    if (!form.current?.querySelector('input')?.reportValidity()) return;
    attempt(async () => {
      await sendPasswordResetEmail(auth, typed('email')).catch((error) => {
        // Do not reveal which addresses have an account.
        if (!isUnknownAccount(error)) throw error;
      });
      setStatusMessage(
        'If this address has an account, we have sent it an e-mail with a link to set a new password.',
      );
    }, mailProblem);
  }

  // A disabled button would lose the focus, so these have `aria-disabled` instead.
  return (
    <section class="card sign-in stack">
      <PageTitle text="Sign in" />
      <p class="muted">{purpose}</p>
      <form
        ref={form}
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          attempt(() => signInWithEmailAndPassword(auth, typed('email'), typed('password')));
        }}
      >
        <label>
          E-mail address
          <input name="email" type="email" autocomplete="username" required />
        </label>
        <label>
          Password
          <input
            name="password"
            {...(isShown ? SHOWN : HIDDEN)}
            autocomplete="current-password"
            required
          />
        </label>
        <label class="choice">
          <input type="checkbox" onChange={(event) => setIsShown(event.currentTarget.checked)} />
          <small>Show what I type</small>
        </label>
        <Problem text={problem} />
        <p role="status">
          <Live>{statusMessage}</Live>
        </p>
        <Button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </Button>
        <Button class="small" aria-disabled={isBusy} onClick={reset}>
          Forgot your password?
        </Button>
        {/* The emulators have no domain to which Google could return. */}
        {auth.app.options.authDomain !== undefined && (
          <Button aria-disabled={isBusy} onClick={() => attempt(() => beginGoogle(auth))}>
            Sign in with Google
          </Button>
        )}
      </form>
      <small>
        No account? Ask <Operator />.
      </small>
    </section>
  );
}
