// The notices of the admin area.

import { Notice } from '../Notice.tsx';
import { PageTitle } from '../PageTitle.tsx';
import type { Session } from '../session.ts';

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

export const NoKeys = () => (
  <div class="card empty">
    <h2>No keys yet</h2>
    <p>Create the first one for a project that will look up attestations.</p>
  </div>
);
