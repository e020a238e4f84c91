// The user's tokens, with the wallet and the time left for each, and the dialog that revokes them.

import { useRef, useState } from 'preact/hooks';
import {
  TOKEN_LIFETIME_MS,
  type TokenState,
  tokenStateAt,
} from '../../records/verificationToken.ts';
import { CopyButton } from '../CopyButton.tsx';
import { Dialog } from '../Dialog.tsx';
import { isDenied, UNREACHABLE } from '../problems.ts';
import { ShowMore } from '../ShowMore.tsx';
import { formatDuration, formatTime } from '../times.ts';
import type { StoredToken } from './tokenStore.ts';

const STATE_NAMES: Readonly<Record<TokenState, string>> = {
  valid: 'Valid',
  revoked: 'Revoked',
  expired: 'Expired',
  unusable: 'Not usable',
};

const STEP = 10;

/** Enough of an address for its owner to recognise it, for example "CcY6…WCf2". */
export const shortWallet = (wallet: string): string => `${wallet.slice(0, 4)}…${wallet.slice(-4)}`;

interface Props {
  /** Newest first. */
  readonly tokens: readonly StoredToken[];
  /** The account's wallet, if it has one. */
  readonly wallet: string | undefined;
  /** The token that was created last on this page. */
  readonly newest: string | undefined;
  readonly nowMs: number;
  readonly onRevoke: (tokens: readonly StoredToken[]) => void;
}

export function TokenList({ tokens, ...rest }: Props) {
  const [limit, setLimit] = useState(STEP);
  const list = useRef<HTMLUListElement>(null);
  const { nowMs, onRevoke } = rest;
  const valid = tokens.filter(({ fields }) => tokenStateAt(fields, nowMs).state === 'valid');
  return (
    <section class="section" aria-labelledby="tokens">
      <div class="row apart">
        <h2 id="tokens">Your tokens</h2>
        {valid.length > 1 && (
          <button type="button" class="small danger-quiet" onClick={() => onRevoke(valid)}>
            Revoke all
          </button>
        )}
      </div>
      {tokens.length === 0 ? (
        <p class="card empty">
          You have no tokens. Each is listed here until a day after it expires.
        </p>
      ) : (
        <ul class="card" ref={list}>
          {tokens.slice(0, limit).map((stored) => (
            <Token key={stored.token} stored={stored} {...rest} />
          ))}
        </ul>
      )}
      <ShowMore list={list} total={tokens.length} step={STEP} limit={limit} onMore={setLimit}>
        Show more
      </ShowMore>
    </section>
  );
}

type TokenProps = Omit<Props, 'tokens'> & { readonly stored: StoredToken };

function Token({ stored, wallet, newest, nowMs, onRevoke }: TokenProps) {
  const shown = useRef<HTMLElement>(null);
  const { token, fields, createdAt } = stored;
  const { state } = tokenStateAt(fields, nowMs);
  const isValid = state === 'valid';
  const isOther = stored.wallet !== undefined && stored.wallet !== wallet;
  const created =
    createdAt === undefined ? 'created at an unknown time' : `created ${formatTime(createdAt)}`;
  const timeLeft = formatDuration((createdAt ?? nowMs) + TOKEN_LIFETIME_MS - nowMs);
  return (
    <li class="row">
      <div class="what">
        <code ref={shown}>{token}</code>
        <small>
          {created}
          {isValid && `, valid for ${timeLeft} more`}
        </small>
        {stored.wallet !== undefined && (
          <small>
            for the wallet <code>{shortWallet(stored.wallet)}</code>
            {isOther && <strong>, which your account no longer has</strong>}
          </small>
        )}
      </div>
      <span class={isValid ? 'badge good' : 'badge'}>
        {isValid && token === newest ? 'New' : STATE_NAMES[state]}
      </span>
      {isValid && (
        <div class="row">
          <CopyButton
            from={shown}
            style={token === newest ? 'small primary' : 'small'}
            label={`Copy the token ${created}`}
          >
            Copy
          </CopyButton>
          <button
            type="button"
            class="small danger-quiet"
            aria-label={`Revoke the token ${created}`}
            onClick={() => onRevoke([stored])}
          >
            Revoke
          </button>
        </div>
      )}
    </li>
  );
}

interface RevokeProps {
  readonly targets: readonly StoredToken[];
  /** Resolves once the tokens are revoked. The parent component then removes the dialog. */
  readonly revoke: () => Promise<void>;
  readonly onCancel: () => void;
}

/** Revoking is final, so the user confirms it first. */
export function RevokeDialog({ targets, revoke, onCancel }: RevokeProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const isOne = targets.length === 1;
  const what = isOne ? 'The token was' : 'Some of the tokens were';
  const cancel = (): void => {
    if (!isBusy) onCancel();
  };

  async function attempt(): Promise<void> {
    if (isBusy) return;
    setIsBusy(true);
    setProblem('');
    try {
      await revoke();
    } catch (error) {
      setProblem(
        isDenied(error)
          ? `${what} not revoked because the database refused it. Close this dialog. If the list still shows a valid token, ask the people who run this service to revoke it.`
          : `It is not known whether ${isOne ? 'the token was' : 'all tokens were'} revoked. ${UNREACHABLE}`,
      );
      setIsBusy(false);
    }
  }

  return (
    <Dialog
      title={isOne ? 'Revoke this token?' : `Revoke all ${targets.length} valid tokens?`}
      onCancel={cancel}
    >
      {targets.map(({ token, createdAt }) => (
        <p key={token}>
          <code>{token}</code>
          {createdAt !== undefined && <small>Created {formatTime(createdAt)}</small>}
        </p>
      ))}
      <p>
        Platforms that have {isOne ? 'it' : 'them'} can no longer look you up with{' '}
        {isOne ? 'it' : 'them'}. This cannot be undone.
      </p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="row actions">
        <button type="button" aria-disabled={isBusy} onClick={cancel}>
          Cancel
        </button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={attempt}>
          {isBusy ? 'Revoking…' : isOne ? 'Revoke token' : 'Revoke all'}
        </button>
      </div>
    </Dialog>
  );
}
