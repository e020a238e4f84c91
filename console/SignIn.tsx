// Signing in with e-mail address and password.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend } from './backend.ts';
import { signInProblem } from './problems.ts';
import { sendPasswordReset, signIn } from './session.ts';

interface Props {
  readonly backend: Backend;
  readonly purpose: string;
}

export function SignIn({ backend, purpose }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [news, setNews] = useState('');
  const { auth } = backend;

  // Whoever has just signed out stands where the page begins.
  useEffect(() => heading.current?.focus(), []);

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
      <h1 ref={heading} tabIndex={-1}>
        Sign in
      </h1>
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
    </section>
  );
}
