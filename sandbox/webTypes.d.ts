// Names of the DOM that the declarations of @solana/kit, which litesvm brings in, refer to. Node
// has them under other names, and all of the DOM's types would let a test use what Node lacks.

import type { webcrypto } from 'node:crypto';

declare global {
  interface CryptoKey extends webcrypto.CryptoKey {}
  interface CryptoKeyPair extends webcrypto.CryptoKeyPair {}
  interface AddEventListenerOptions extends EventListenerOptions {
    once?: boolean;
    passive?: boolean;
    signal?: AbortSignal;
  }
}
