// The admin area, /admin/.

import '../strict.ts';
import { render } from 'preact';
import { Frame } from '../Frame.tsx';
import { ApiKeys } from './ApiKeys.tsx';

render(
  <Frame area="Admin area" purpose="With the account of an admin, to manage API keys.">
    {(backend, session) => <ApiKeys backend={backend} session={session} />}
  </Frame>,
  document.body,
);
