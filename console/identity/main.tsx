// The identity-proof area, /identity/.

import '../strict.ts';
import { render } from 'preact';
import { Frame } from '../Frame.tsx';
import { Proof } from './Proof.tsx';

render(
  <Frame area="Identity proof" purpose="To prove that you are human, without saying who you are.">
    {(backend, session) => <Proof backend={backend} session={session} />}
  </Frame>,
  document.body,
);
