// The notices for a user whose account cannot make a token yet.

import { useState } from 'preact/hooks';
import { Notice } from '../Notice.tsx';
import { mailProblem } from '../problems.ts';
import type { Session } from '../session.ts';

export const NoWallet = ({ onCheck }: { onCheck: () => void }) => (
  <Notice title="Your account has no wallet yet" kind="warning">
    <p>
      A token represents a wallet. Finish your humanity verification with the wallet that you want
      to use. If you have done that, ask the people who run this service to add the wallet to your
      account.
    </p>
    <button type="button" onClick={onCheck}>
      Check again
    </button>
  </Notice>
);

interface Props {
  readonly session: Session;
  readonly onSend: () => Promise<void>;
  readonly onCheck: () => void;
}

export function Unverified({ session, onSend, onCheck }: Props) {
  const [outcome, setOutcome] = useState('');
  const send = (): Promise<void> =>
    onSend().then(
      () => setOutcome('We have sent the e-mail.'),
      (error: unknown) => setOutcome(mailProblem(error)),
    );
  return (
    <Notice title="Verify your e-mail address first" kind="warning">
      <p>
        Only an account whose address is verified may make tokens. Open the link in the e-mail that
        we send to <strong>{session.email}</strong>, then come back and check again.
      </p>
      <div class="row">
        <button type="button" onClick={send}>
          Send the e-mail
        </button>
        <button type="button" onClick={onCheck}>
          Check again
        </button>
      </div>
      <p role="status">{outcome}</p>
    </Notice>
  );
}
