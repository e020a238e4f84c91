// The user's tokens, with the time left for each.

import { useRef, useState } from 'preact/hooks';
import {
  TOKEN_LIFETIME_MS,
  type TokenState,
  tokenStateAt,
} from '../../records/verificationToken.ts';
import { CopyButton, Secret } from '../CopyButton.tsx';
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

const timeLeft = (createdAt: number, nowMs: number): string =>
  formatDuration(createdAt + TOKEN_LIFETIME_MS - nowMs);

/** The token that was just made, for copying. */
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
  /** Newest first. */
  readonly tokens: readonly StoredToken[];
  readonly nowMs: number;
  readonly onRevoke: (token: StoredToken) => void;
}

export function TokenList({ tokens, ...rest }: Props) {
  const [limit, setLimit] = useState(STEP);
  const list = useRef<HTMLUListElement>(null);
  return (
    <section class="section" aria-labelledby="tokens">
      <h2 id="tokens">Your tokens</h2>
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

function Token({ stored, nowMs, onRevoke }: Omit<Props, 'tokens'> & { stored: StoredToken }) {
  const shown = useRef<HTMLElement>(null);
  const { token, fields, createdAt } = stored;
  const { state } = tokenStateAt(fields, nowMs);
  const made =
    createdAt === undefined ? 'made at an unknown time' : `made ${formatTime(createdAt)}`;
  return (
    <li class="row">
      <div class="what">
        <code ref={shown}>{token}</code>
        <small>
          {made}
          {state === 'valid' && `, valid for ${timeLeft(createdAt ?? nowMs, nowMs)} more`}
        </small>
      </div>
      <span class={state === 'valid' ? 'badge good' : 'badge'}>{STATE_NAMES[state]}</span>
      {state === 'valid' && (
        <div class="buttons">
          <CopyButton from={shown} style="small" label={`Copy the token ${made}`}>
            Copy
          </CopyButton>
          <button
            type="button"
            class="small danger-quiet"
            aria-label={`Revoke the token ${made}`}
            onClick={() => onRevoke(stored)}
          >
            Revoke
          </button>
        </div>
      )}
    </li>
  );
}
