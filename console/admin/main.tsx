// The admin area, /admin/.

import { render } from 'preact';
import { Frame } from '../Frame.tsx';
import { ApiKeys } from './ApiKeys.tsx';

/** Outlives signing in again; see `ApiKeys`. */
const unshown = new Set<string>();

// Takes out what is shown while this script loads.
document.body.replaceChildren();
render(
  <Frame
    area="admin"
    title="Admin area"
    purpose="With the account of an admin, to manage API keys."
  >
    {(page) => <ApiKeys {...page} unshown={unshown} />}
  </Frame>,
  document.body,
);
