// The admin area, /admin/.

import { render } from 'preact';
import { Frame } from '../Frame.tsx';
import { ApiKeys } from './ApiKeys.tsx';

/** Outlives a sign-out, so that the next admin also sees which keys to revoke; see `ApiKeys`. */
const neverShown = new Set<string>();

// Removes the message for pages that load slowly.
document.body.replaceChildren();
render(
  <Frame area="admin" title="Admin area" purpose="Manage API keys with an admin’s account.">
    {(page) => <ApiKeys {...page} neverShown={neverShown} />}
  </Frame>,
  document.body,
);
