// A key's id as it was typed.

import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { usageFailure } from '../../terminal/failure.ts';

/** 12 digits of a key's hash, or more. */
export const ID = /^[0-9a-f]{12,64}$/;

/** No failure repeats the text: it may be a key, pasted in place of its id. */
export function parseId(text: string): string {
  if (ID.test(text)) return text;
  const key = API_KEY_PATTERN.exec(text)?.[0];
  throw usageFailure(
    key
      ? `That is a key itself; its id is ${keyId(hashApiKey(key))}.`
      : 'An id is 12 or more hex digits in lower case, as `keys list` shows it.',
  );
}
