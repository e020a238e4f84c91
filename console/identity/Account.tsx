// The user's account: whether its address is verified, and its id.

import { type Auth, sendEmailVerification } from 'firebase/auth';
import { useRef } from 'preact/hooks';
import { Button, CopyButton } from '../buttons.tsx';
import { Problem } from '../Dialog.tsx';
import type { Outcome } from '../Notice.tsx';
import { Operator } from '../operator.tsx';
import { mailProblem } from '../problems.ts';
import { useAction } from '../requests.ts';
import type { Session } from '../session.ts';
import { Name } from '../Text.tsx';

interface VerifyProps {
  readonly auth: Auth;
  readonly email: string;
  readonly onSent: (outcome: Outcome) => void;
  /** Reads the account again. */
  readonly onCheck: () => void;
}

/** For people who want to be found by their address, which may need to be verified for that. */
export function VerifyAddress({ auth, email, onSent, onCheck }: VerifyProps) {
  const { isBusy, problem, run } = useAction();

  async function send(): Promise<void> {
    if (!auth.currentUser) return;
    await sendEmailVerification(auth.currentUser);
    onSent({ content: `We have sent an e-mail to ${email}. Open its link, then check again.` });
  }

  return (
    <section class="spaced stack">
      <h2>Your e-mail address is not verified</h2>
      <p>
        Tokens work without that. But platforms may not find you by <Name>{email}</Name> until you
        open a link in an e-mail.
      </p>
      <Problem text={problem} />
      <div class="row">
        <Button aria-disabled={isBusy} onClick={() => run(send, mailProblem)}>
          Send the e-mail
        </Button>
        <Button onClick={onCheck}>Check the address again</Button>
      </div>
    </section>
  );
}

/** The account's id. Who has a wallet does not need it. */
export function AccountId({ uid, wallet }: Session) {
  const accountId = useRef<HTMLElement>(null);
  return (
    <details class="spaced stack" id="account" open={wallet === undefined}>
      <summary>Your account’s id, to add or change a wallet</summary>
      <div class="row">
        <code ref={accountId}>{uid}</code>
        <CopyButton from={accountId} style="small" label="Copy your account’s id">
          Copy
        </CopyButton>
      </div>
      <p class="spaced">
        To add a wallet to your account, <Operator /> needs a message that you sign with it and that
        contains this id. Do not sign such a message with another id, which would give your wallet
        to somebody else’s account.
      </p>
    </details>
  );
}
