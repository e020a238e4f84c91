// The sign-in form, with e-mail address and password or with Google.

import { sendPasswordResetEmail } from 'firebase/auth';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend } from './backend.ts';
import { Problem } from './Dialog.tsx';
import { beginGoogle, finishGoogle } from './google.ts';
import { PageTitle } from './Notice.tsx';
import { isUnknownAccount, mailProblem, signInProblem } from './problems.ts';
import { useAction } from './requests.ts';
import { signIn } from './session.ts';

interface Props {
  readonly backend: Backend;
  readonly purpose: string;
  /** Why an earlier sign-in ended, or an empty string. */
  readonly reason: string;
}

export function SignIn({ backend: { auth }, purpose, reason }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem, setProblem, run } = useAction();
  const [statusMessage, setStatusMessage] = useState(reason);

  useEffect(() => {
    if (location.search !== '') attempt(() => finishGoogle(auth));
  }, [auth]);

  const typed = (name: string): string => String(new FormData(form.current ?? undefined).get(name));

  function attempt(action: () => Promise<void>, describe = signInProblem): void {
    setStatusMessage('');
    void run(action, describe);
  }

  function reset(): void {
    const email = typed('email').trim();
    if (email === '') {
      setProblem('Type your e-mail address first.');
      return;
    }
    attempt(async () => {
      await sendPasswordResetEmail(auth, email).catch((error) => {
        // Do not reveal which addresses have an account.
        if (!isUnknownAccount(error)) throw error;
      });
      setStatusMessage('If this address has an account, we have sent it an e-mail.');
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
          attempt(() => signIn(auth, typed('email').trim(), typed('password')));
        }}
      >
        <label>
          E-mail address
          <input name="email" type="email" autocomplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <Problem text={problem} />
        <p role="status">{statusMessage}</p>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <button type="button" class="small" aria-disabled={isBusy} onClick={reset}>
          Forgot your password?
        </button>
        {/* The emulators have no domain to which Google could return. */}
        {auth.app.options.authDomain !== undefined && (
          <button
            type="button"
            aria-disabled={isBusy}
            onClick={() => attempt(() => beginGoogle(auth))}
          >
            Sign in with Google
          </button>
        )}
      </form>
    </section>
  );
}
