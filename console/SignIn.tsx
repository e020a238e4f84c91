// The sign-in form, with e-mail address and password or with Google.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend } from './backend.ts';
import { beginGoogle, finishGoogle } from './google.ts';
import { PageTitle } from './Notice.tsx';
import { isUnknownAccount, mailProblem, signInProblem } from './problems.ts';
import { sendPasswordReset, signIn } from './session.ts';

interface Props {
  readonly backend: Backend;
  readonly purpose: string;
  /** Why an earlier sign-in ended, or an empty string. */
  readonly reason: string;
}

export function SignIn({ backend, purpose, reason }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [statusMessage, setStatusMessage] = useState(reason);
  const { auth } = backend;

  useEffect(() => {
    if (location.search !== '') void attempt(() => finishGoogle(backend));
  }, [backend]);

  const typed = (name: string): string => String(new FormData(form.current ?? undefined).get(name));

  async function attempt(
    action: () => Promise<void>,
    describe: (error: unknown) => string = signInProblem,
  ): Promise<void> {
    if (isBusy) return;
    setProblem('');
    setStatusMessage('');
    setIsBusy(true);
    try {
      await action();
    } catch (error) {
      setProblem(describe(error));
    }
    setIsBusy(false);
  }

  function submit(event: Event): void {
    event.preventDefault();
    void attempt(() => signIn(auth, typed('email').trim(), typed('password')));
  }

  async function reset(): Promise<void> {
    const email = typed('email').trim();
    if (email === '') {
      setProblem('Type your e-mail address first.');
      return;
    }
    await attempt(async () => {
      await sendPasswordReset(auth, email).catch((error) => {
        // Do not reveal which addresses have an account.
        if (!isUnknownAccount(error)) throw error;
      });
      setStatusMessage('If this address has an account, we have sent it an e-mail.');
    }, mailProblem);
  }

  // A disabled button would lose the focus, so these have `aria-disabled` instead.
  return (
    <section class="card sign-in">
      <PageTitle text="Sign in" />
      <p class="muted">{purpose}</p>
      <form ref={form} onSubmit={submit} aria-busy={isBusy}>
        <label>
          E-mail address
          <input name="email" type="email" autocomplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <p class="problem" role="alert">
          {problem}
        </p>
        <p role="status">{statusMessage}</p>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <button type="button" class="small" aria-disabled={isBusy} onClick={reset}>
          Forgot your password?
        </button>
        {backend.hasGoogle && (
          <button
            type="button"
            aria-disabled={isBusy}
            onClick={() => attempt(() => beginGoogle(backend))}
          >
            Sign in with Google
          </button>
        )}
      </form>
    </section>
  );
}
