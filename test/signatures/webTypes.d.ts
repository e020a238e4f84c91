// Declares a DOM type that http-message-sig refers to. Node has it under another name, and including
// all DOM types would let tests use features that Node lacks.

import type { webcrypto } from 'node:crypto';

declare global {
  interface CryptoKey extends webcrypto.CryptoKey {}
}
