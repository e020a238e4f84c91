// The notices of the page "PoH API Keys", and its messages after a key was created or revoked.

import { Notice, PageTitle } from '../Notice.tsx';
import type { Session } from '../session.ts';
import { formatTime } from '../times.ts';
import { isOverdue, type StoredKey } from './keyStore.ts';
import { nameKey, nameProject, useShared } from './shared.ts';

export const Refused = ({ session }: { session: Session }) => (
  <>
    <PageTitle text="PoH API Keys" />
    <Notice title="You are not an admin" kind="problem">
      <p>
        The account <strong>{session.email ?? session.uid}</strong> may not see or manage API keys.
        Ask the people who run this service to make you an admin, or sign out and use another
        account.
      </p>
      <p class="muted">
        For the operator: <code>npm run -s admin -- admins grant {session.email ?? 'EMAIL'}</code>
      </p>
    </Notice>
  </>
);

export const TooOld = ({ onSignIn }: { onSignIn: () => void }) => (
  <Notice title="Sign in again to change anything" kind="warning">
    <p>You signed in more than 12 hours ago. You can still look at the keys.</p>
    <button type="button" onClick={onSignIn}>
      Sign in again
    </button>
  </Notice>
);

/** Shown only after every reason that this page can check was ruled out. */
export const ChangeRefused = () => (
  <Notice title="The database refused the change" kind="problem">
    <p>
      Nothing was changed. You are an admin and your sign-in is recent enough, so this page does not
      know the reason. Try again; if it is refused again, tell the people who run this service that{' '}
      <code>firestore.rules</code> refuses it.
    </p>
  </Notice>
);

/** The documented setup gives the two sites these names. Another host may have any address. */
const guideUrl = (): string | undefined =>
  /-console\.web\.app$/.test(location.host)
    ? `https://${location.host.replace('-console.', '-attestations.')}/guide`
    : undefined;

export function NoKeys() {
  const { mayChange, begin } = useShared();
  const guide = guideUrl();
  return (
    <div class="card empty">
      <h2>No keys yet</h2>
      <p>
        Create the first one for a project that will look up attestations. Give its developers the
        key and {guide === undefined ? 'this service’s guide' : <a href={guide}>the guide</a>}.
      </p>
      {mayChange && (
        <button type="button" class="primary" onClick={() => begin({ kind: 'create' })}>
          Create the first key
        </button>
      )}
    </div>
  );
}

/** Links to the log lines of the lookups with a key. */
export function Lookups({ target }: { target: StoredKey }) {
  const { projectId } = useShared();
  const query = `jsonPayload.message="lookup"\njsonPayload.keyId="${target.id}"`;
  const page = `https://console.cloud.google.com/logs/query;query=${encodeURIComponent(query)};duration=P30D`;
  return (
    <a
      href={`${page}?project=${encodeURIComponent(projectId)}`}
      target="_blank"
      rel="noreferrer"
      aria-label={`Lookups with ${nameKey(target)}, in Google Cloud`}
    >
      Lookups
    </a>
  );
}

const OVERDUE_SHOWN = 3;

/** Reminds the admin of keys that were replaced and still work. Only an admin ends a key. */
export function Overdue({ keys }: { keys: readonly StoredKey[] }) {
  const { nowMs, mayChange, begin } = useShared();
  const overdue = keys.filter((key) => isOverdue(key, nowMs)).toReversed();
  if (overdue.length === 0) return null;
  const others = overdue.length - OVERDUE_SHOWN;
  return (
    <section class="notice warning" aria-labelledby="overdue">
      <h2 id="overdue">Replaced more than a week ago, and still active</h2>
      <p>Check that nobody uses the old key any more, then revoke it.</p>
      <ul>
        {overdue.slice(0, OVERDUE_SHOWN).map((key) => (
          <li class="row" key={key.hash}>
            <span>
              <bdi>{nameProject(key)}</bdi>: <code>{key.id}</code>, replaced on{' '}
              {formatTime(key.replacedBy?.createdAt ?? nowMs)}
            </span>
            <Lookups target={key} />
            {mayChange && (
              <button
                type="button"
                class="small danger-quiet"
                aria-label={`Revoke ${nameKey(key)}, replaced`}
                onClick={() => begin({ kind: 'revoke', target: key })}
              >
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
      {others > 0 && <p>{others} more are marked in the list.</p>}
    </section>
  );
}

/** @param old the key that was rotated, if one was */
export const Created = ({ project, old }: { project: string; old: StoredKey | undefined }) =>
  old ? (
    <>
      A second key for <bdi>{project}</bdi> was created. Once it is in use, revoke the old one,{' '}
      {old.id}.
    </>
  ) : (
    <>
      A key for <bdi>{project}</bdi> was created.
    </>
  );

export const GivenUp = ({ hint }: { hint: string }) => (
  <>
    It is not known whether a key that ends in {hint} was stored. If it appears in the list, revoke
    it, because nobody has it.
  </>
);

interface RevokedProps {
  readonly target: StoredKey;
  /** The key's record after the change, or undefined if it has none any more. */
  readonly stored: StoredKey | undefined;
  readonly ownUid: string;
}

export function Revoked({ target: { id }, stored, ownUid }: RevokedProps) {
  const { nameActor } = useShared();
  if (!stored) return `The key ${id} no longer has a record, so it does not work.`;
  const { revokedBy, revokedAt } = stored;
  if (revokedBy === ownUid) {
    return (
      <>
        The key {id} of <bdi>{nameProject(stored)}</bdi> is revoked.
      </>
    );
  }
  const since = revokedAt === undefined ? '' : ` on ${formatTime(revokedAt)}`;
  return `The key ${id} was already revoked${since} by ${nameActor(revokedBy)}.`;
}
