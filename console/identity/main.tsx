// The identity-proof area, /identity/.

import { render } from 'preact';
import { Frame } from '../Frame.tsx';
import { Proof } from './Proof.tsx';

// Takes out what is shown while this script loads.
document.body.replaceChildren();
render(
  <Frame
    area="identity"
    title="Identity proof"
    purpose="To make a token that proves to a platform that you are human."
  >
    {(page) => <Proof {...page} />}
  </Frame>,
  document.body,
);
