// Parses a key's id from the command line.

import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { usageFailure } from '../terminal/failure.ts';

/** The first 12 or more digits of a key's hash. */
const ID = /^[0-9a-f]{12,64}$/;

/** @throws Failure that does not repeat the text, which may be a key pasted by mistake */
export function parseId(text: string): string {
  if (ID.test(text)) return text;
  const key = API_KEY_PATTERN.exec(text)?.[0];
  throw usageFailure(
    key
      ? `That is the key itself. Its id is ${keyId(hashApiKey(key))}.`
      : 'An id is 12 or more hex digits in lower case, as `keys list` shows it.',
  );
}
