// A user's own tokens, with what is left of each.

import {
  TOKEN_LIFETIME_MS,
  type TokenState,
  tokenStateAt,
} from '../../records/verificationToken.ts';
import { Secret } from '../Secret.tsx';
import { formatDuration, formatTime } from '../times.ts';
import type { StoredToken } from './tokenStore.ts';

const STATE_NAMES: Readonly<Record<TokenState, string>> = {
  valid: 'Valid',
  revoked: 'Revoked',
  expired: 'Expired',
  unusable: 'Unusable',
};

const timeLeft = (createdAt: number, nowMs: number): string =>
  formatDuration(createdAt + TOKEN_LIFETIME_MS - nowMs);

/** The token that was just made, to be handed on. */
export function NewToken({ stored, nowMs }: { stored: StoredToken; nowMs: number }) {
  const { token, createdAt = nowMs } = stored;
  return (
    <section class="card made" aria-labelledby="made">
      <h2 id="made">Your new token</h2>
      <Secret text={token} label="Verification token" />
      <p>
        Paste it where the platform asks for it. It is valid for{' '}
        <strong>{timeLeft(createdAt, nowMs)}</strong>, until{' '}
        {formatTime(createdAt + TOKEN_LIFETIME_MS)}.
      </p>
    </section>
  );
}

interface Props {
  readonly tokens: readonly StoredToken[];
  readonly nowMs: number;
  readonly onRevoke: (token: StoredToken) => void;
}

export const TokenList = ({ tokens, nowMs, onRevoke }: Props) => (
  <section class="tokens" aria-labelledby="tokens">
    <h2 id="tokens">Your tokens</h2>
    {tokens.length === 0 ? (
      <p class="card empty">You have not made a token yet.</p>
    ) : (
      <ul class="card">
        {tokens.map((stored) => {
          const { state } = tokenStateAt(stored.fields, nowMs);
          return (
            <li key={stored.token} class={state}>
              <div class="what">
                <code>{stored.token}</code>
                <small>
                  {stored.createdAt === undefined
                    ? 'Made at an unknown time'
                    : `Made ${formatTime(stored.createdAt)}`}
                  {state === 'valid' &&
                    `, valid for ${timeLeft(stored.createdAt ?? nowMs, nowMs)} more`}
                </small>
              </div>
              <span class={state === 'valid' ? 'badge good' : 'badge'}>{STATE_NAMES[state]}</span>
              <div class="row-actions">
                {state === 'valid' && (
                  <button
                    type="button"
                    class="danger-quiet"
                    aria-label={`Revoke the token ${stored.token}`}
                    onClick={() => onRevoke(stored)}
                  >
                    Revoke
                  </button>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    )}
  </section>
);
