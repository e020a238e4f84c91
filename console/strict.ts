// Comes first in each page: what the libraries must not do under its Content-Security-Policy.

import { setLogLevel } from 'firebase/firestore/lite';
import * as z from 'zod';

// No schema is compiled with `new Function`, which the policy forbids and the browser would report.
z.config({ jitless: true });
// The SDK's log shows whole requests.
setLogLevel('silent');
