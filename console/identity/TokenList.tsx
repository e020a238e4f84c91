// The user's tokens, with the state and the wallet of each.

import { useRef } from 'preact/hooks';
import { TOKEN_LIFETIME_MS, tokenStateAt } from '../../records/verificationToken.ts';
import { Button, CopyButton } from '../buttons.tsx';
import { formatTime } from '../times.ts';
import type { StoredToken } from './tokenStore.ts';

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
  const { nowMs, onRevoke } = rest;
  const valid = tokens.filter(({ fields }) => tokenStateAt(fields, nowMs).state === 'valid');
  return (
    <section class="spaced stack" aria-labelledby="tokens">
      <div class="row apart">
        <h2 id="tokens">Your tokens</h2>
        {valid.length > 1 && (
          <Button class="small danger-quiet" onClick={() => onRevoke(valid)}>
            Revoke all
          </Button>
        )}
      </div>
      {tokens.length === 0 ? (
        <p class="card empty stack muted">You have no tokens.</p>
      ) : (
        <ul class="card">
          {tokens.map((stored) => (
            <Token key={stored.token} stored={stored} {...rest} />
          ))}
        </ul>
      )}
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
  const end = formatTime((createdAt ?? nowMs) + TOKEN_LIFETIME_MS);
  return (
    <li class="row">
      <div class="what">
        <code ref={shown}>{token}</code>
        <small>
          {created}
          {isValid && `, valid until ${end}`}
        </small>
        {stored.wallet !== undefined && (
          <small>
            for the wallet <code>{shortWallet(stored.wallet)}</code>
            {isOther && <strong>, which your account no longer has</strong>}
          </small>
        )}
      </div>
      <span class={isValid ? 'badge good' : 'badge'}>
        {isValid && token === newest ? 'new' : state}
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
          <Button
            class="small danger-quiet"
            aria-label={`Revoke the token ${created}`}
            onClick={() => onRevoke([stored])}
          >
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}
