// The sign-in form, with e-mail address and password or with Google.

import { type Auth, sendPasswordResetEmail, signInWithEmailAndPassword } from 'firebase/auth';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Backend } from './backend.ts';
import { Button } from './buttons.tsx';
import { Problem, TextField } from './Dialog.tsx';
import { beginGoogle, finishGoogle, isGoogleResponse } from './googleSignIn.ts';
import { GoogleMark } from './Icon.tsx';
import { PageTitle } from './Notice.tsx';
import { Operator } from './operator.tsx';
import { isUnknownAccount, mailProblem, signInProblem } from './problems.ts';
import { useAction } from './requests.ts';
import { adoptLatestSignOut } from './session.ts';
import { Live } from './Text.tsx';

interface Props {
  readonly backend: Backend;
  readonly purpose: string;
  /** Why an earlier sign-in ended, or an empty string. */
  readonly reason: string;
}

const [SHOWN, HIDDEN] = [{ type: 'text' }, { type: 'password' }] as const;
const RESET_SENT =
  'If this address has an account, we have sent it an e-mail with a link to set a new password.';

/** What the form does, and what it says about it. */
function useSignIn(auth: Auth, reason: string) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem, setProblem, run } = useAction();
  const [statusMessage, setStatusMessage] = useState(reason);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const typed = (name: string): string => String(new FormData(form.current ?? undefined).get(name));

  function attempt(action: () => Promise<unknown>, describe = signInProblem): void {
    adoptLatestSignOut(auth);
    setStatusMessage('');
    void run(action, describe);
  }

  useEffect(() => {
    if (isGoogleResponse()) attempt(() => finishGoogle(auth));
  }, [auth]);

  /** Says which of the fields are empty, and goes to the first one. */
  function areFilled(...names: readonly string[]): boolean {
    const empty = names.filter((name) => typed(name) === '');
    setMissing(empty);
    form.current?.querySelector<HTMLElement>(`[name="${empty[0]}"]`)?.focus();
    return empty.length === 0;
  }

  function signIn(event: SubmitEvent): void {
    event.preventDefault();
    if (areFilled('email', 'password'))
      attempt(() => signInWithEmailAndPassword(auth, typed('email'), typed('password')));
  }

  function reset(): void {
    if (!areFilled('email')) return;
    attempt(async () => {
      await sendPasswordResetEmail(auth, typed('email')).catch((error) => {
        // Do not reveal which addresses have an account.
        if (!isUnknownAccount(error)) throw error;
      });
      setStatusMessage(RESET_SENT);
    }, mailProblem);
  }

  const fields = { form, missing, setMissing, signIn, reset };
  return { isBusy, problem, setProblem, statusMessage, attempt, ...fields };
}

// A disabled button would lose the focus, so the buttons have `aria-disabled` instead.
export function SignIn({ backend: { auth }, purpose, reason }: Props) {
  const actions = useSignIn(auth, reason);
  return (
    <section class="card sign-in stack">
      <PageTitle text="Sign in" />
      <p class="muted">{purpose}</p>
      {/* The emulators have no domain to which Google could return. */}
      {auth.app.options.authDomain !== undefined && (
        <>
          <Button
            aria-disabled={actions.isBusy}
            onClick={() => actions.attempt(() => beginGoogle(auth))}
          >
            <GoogleMark />
            Sign in with Google
          </Button>
          <p class="or muted">or with a password</p>
        </>
      )}
      <PasswordForm {...actions} />
      <small>
        No account? Ask <Operator />.
      </small>
    </section>
  );
}

function PasswordForm({ form, isBusy, problem, missing, ...rest }: ReturnType<typeof useSignIn>) {
  const [isShown, setIsShown] = useState(false);
  const problemOf = (name: string, text: string): string => (missing.includes(name) ? text : '');
  return (
    <form
      ref={form}
      aria-busy={isBusy}
      noValidate
      onInput={({ target }) => {
        rest.setProblem('');
        rest.setMissing((all) => all.filter((name) => name !== (target as HTMLInputElement).name));
      }}
      onSubmit={rest.signIn}
    >
      <TextField
        label="E-mail address"
        name="email"
        input={{ type: 'email', autocomplete: 'username' }}
        problem={problemOf('email', 'Write your e-mail address.')}
      />
      <TextField
        label="Password"
        name="password"
        input={{ ...(isShown ? SHOWN : HIDDEN), autocomplete: 'current-password' }}
        problem={problemOf('password', 'Write your password.')}
      />
      <div class="row apart">
        <label class="row">
          <input type="checkbox" onChange={(event) => setIsShown(event.currentTarget.checked)} />
          <small>Show what I type</small>
        </label>
        <Button class="link small" aria-disabled={isBusy} onClick={rest.reset}>
          Forgot your password?
        </Button>
      </div>
      <Problem text={problem} />
      <p aria-live="polite">
        <Live>{rest.statusMessage}</Live>
      </p>
      <Button type="submit" class="primary" aria-disabled={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}
