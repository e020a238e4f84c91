// A user's tokens: their states, and revoking them.

import type { Firestore } from 'firebase/firestore/lite';
import { useRef } from 'preact/hooks';
import { TOKEN_LIFETIME_MS } from '../../contract/endpoint.ts';
import { tokenStateAt } from '../../records/verificationToken.ts';
import { Button, CopyButton } from '../buttons.tsx';
import { FormDialog, Problem } from '../Dialog.tsx';
import { operator } from '../operator.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { useAction } from '../requests.ts';
import { capitalized, Live, Name } from '../Text.tsx';
import { formatLeft, formatTime } from '../times.ts';
import { revokeToken, type StoredToken } from './tokenStore.ts';

/** Enough of an address for its owner to recognise it, for example "CcY6…WCf2". */
export const shortWallet = (wallet: string): string => `${wallet.slice(0, 4)}…${wallet.slice(-4)}`;

/** Who can use a token, and what its owner remembers it by. */
const Purpose = ({ project, note }: StoredToken) => (
  <>
    {project === undefined ? (
      <p>Any platform can use it</p>
    ) : (
      <p>
        Only <Name>{project}</Name> can use it
      </p>
    )}
    {note !== undefined && (
      <p>
        Your note: <Name>{note}</Name>
      </p>
    )}
  </>
);

interface TokenProps {
  readonly stored: StoredToken;
  /** The account's wallet, if it has one. */
  readonly wallet: string | undefined;
  readonly isNewest: boolean;
  readonly nowMs: number;
  readonly onRevoke: () => void;
}

export function Token({ stored, wallet, isNewest, nowMs, onRevoke }: TokenProps) {
  const shown = useRef<HTMLElement>(null);
  const { token, fields, createdAt } = stored;
  const { state } = tokenStateAt(fields, nowMs);
  const isValid = state === 'valid';
  const isOther = stored.wallet !== undefined && stored.wallet !== wallet;
  const created =
    createdAt === undefined ? 'created at an unknown time' : `created ${formatTime(createdAt)}`;
  const endMs = (createdAt ?? nowMs) + TOKEN_LIFETIME_MS;
  const end = `, valid until ${formatTime(endMs)} (ends ${formatLeft(endMs - nowMs)})`;
  return (
    <li class="row">
      <div class="what">
        <code ref={shown}>{token}</code>
        <Purpose {...stored} />
        <small>
          {created}
          <Live>{isValid && end}</Live>
        </small>
        {stored.wallet !== undefined && (
          <small>
            for the wallet <code>{shortWallet(stored.wallet)}</code>
            {isOther && <strong>, which your account no longer has</strong>}
          </small>
        )}
      </div>
      <span class={isValid ? 'badge good' : 'badge'}>
        <Live>{capitalized(isValid && isNewest ? 'new' : state)}</Live>
      </span>
      {isValid && (
        <div class="row">
          <CopyButton
            from={shown}
            style={isNewest ? 'small primary' : 'small'}
            label={`Copy the token ${created}`}
          >
            Copy
          </CopyButton>
          <Button
            class="small danger-quiet"
            icon="revoke"
            aria-label={`Revoke the token ${created}`}
            onClick={onRevoke}
          >
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}

interface RevokeProps {
  readonly db: Firestore;
  readonly targets: readonly StoredToken[];
  /** @param message the outcome, unless the user cancelled */
  readonly onEnd: (message?: string) => void;
}

/** Revoking is final, so the user confirms it. */
export function RevokeTokens({ db, targets, onEnd }: RevokeProps) {
  const { isBusy, problem, run } = useAction();
  const isOne = targets.length === 1;

  async function revoke(): Promise<void> {
    await Promise.all(targets.map(({ token }) => revokeToken(db, token)));
    onEnd(isOne ? 'The token is revoked.' : `The ${targets.length} tokens are revoked.`);
  }

  const describe = (error: unknown): string =>
    isDenied(error)
      ? `The database refused it. Close this dialog. If the list still shows a valid token, ask ${operator} to revoke it.`
      : `It is not known whether the database did it. ${UNREACHABLE}`;

  return (
    <FormDialog
      title={isOne ? 'Revoke this token?' : `Revoke all ${targets.length} valid tokens?`}
      isBusy={isBusy}
      button={[isOne ? 'Revoke token' : 'Revoke all', 'Revoking…', 'danger']}
      onSubmit={() => run(revoke, describe)}
      onCancel={onEnd}
    >
      {targets.map((stored) => (
        <div key={stored.token} class="what">
          <code>{stored.token}</code>
          <Purpose {...stored} />
          {stored.createdAt !== undefined && <small>Created {formatTime(stored.createdAt)}</small>}
        </div>
      ))}
      <p>
        Nobody can then look you up with {isOne ? 'it' : 'them'}. Platforms may keep what they have
        seen, and may be able to look you up without a token. This cannot be undone.
      </p>
      <Problem text={problem} />
    </FormDialog>
  );
}
