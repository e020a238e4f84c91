// The notices of the page "PoH API Keys", and the link to a key's lookups.

import { Notice, PageTitle } from '../Notice.tsx';
import type { Session } from '../session.ts';
import type { StoredKey } from './keyStore.ts';
import { nameKey, useShared } from './shared.ts';

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
    <div class="card empty stack muted">
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
  const { projectId = '' } = useShared().backend.auth.app.options;
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

/** Reminds the admin of keys that were replaced and still work. Only an admin ends a key. */
export const Overdue = ({ count }: { count: number }) => (
  <section class="card notice stack warning" aria-labelledby="overdue">
    <h2 id="overdue">Replaced more than a week ago, and still active: {count}</h2>
    <p>
      The list begins with the old keys. Look for lookups with each, and revoke it once nobody uses
      it any more.
    </p>
  </section>
);
