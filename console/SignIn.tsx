// Signing in with e-mail address and password.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend } from './backend.ts';
import { finishGoogle, offerGoogle } from './google.ts';
import { PageTitle } from './PageTitle.tsx';
import { signInProblem } from './problems.ts';
import { sendPasswordReset, signIn } from './session.ts';

interface Props {
  readonly backend: Backend;
  readonly purpose: string;
}

export function SignIn({ backend, purpose }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [news, setNews] = useState('');
  const { auth } = backend;

  /** Undefined where the project does not let people sign in with Google. */
  const [google, setGoogle] = useState<{ begin: () => void }>();

  useEffect(() => {
    void attempt(() => finishGoogle(backend));
    void offerGoogle(backend).then((begin) => setGoogle(begin && { begin }));
  }, [backend]);

  const typed = (name: string): string => String(new FormData(form.current ?? undefined).get(name));

  async function attempt(action: () => Promise<void>): Promise<void> {
    setProblem('');
    setNews('');
    setIsBusy(true);
    try {
      await action();
    } catch (error) {
      setProblem(signInProblem(error));
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
      await sendPasswordReset(auth, email);
      setNews('If there is an account with this address, an e-mail is on its way.');
    });
  }

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
        <p role="status">{news}</p>
        <button type="submit" class="primary wide" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <button type="button" class="link" disabled={isBusy} onClick={reset}>
          Forgot your password?
        </button>
      </form>
      {google && (
        <button type="button" class="wide" disabled={isBusy} onClick={google.begin}>
          Sign in with Google
        </button>
      )}
    </section>
  );
}
