// A name of the DOM that the declarations of http-message-sig refer to. Node has it under another name,
// and all of the DOM's types would let a test use what Node lacks.

import type { webcrypto } from 'node:crypto';

declare global {
  interface CryptoKey extends webcrypto.CryptoKey {}
}
