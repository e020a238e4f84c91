// The identity-proof area, /identity/.

import { render } from 'preact';
import { Frame } from '../Frame.tsx';
import { Proof } from './Proof.tsx';

// Removes the message for pages that load slowly.
document.body.replaceChildren();
render(
  <Frame
    area="identity"
    title="Identity proof"
    purpose="Create a token that proves to a platform that you are human."
  >
    {(page) => <Proof {...page} />}
  </Frame>,
  document.body,
);
