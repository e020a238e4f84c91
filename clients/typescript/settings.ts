// The address of the service, the key and the subject, as a person has typed or pasted them.

import { Refused } from './failures.ts';

/** Removes white space and byte order marks around a text. */
const trimmed = (text: string | undefined): string => (text ?? '').trim();

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * @returns the address without a slash at its end
 * @throws TypeError, without the address
 */
export function parseAddress(text: string | undefined): string {
  const url = parseUrl(trimmed(text));
  if (!url)
    throw new TypeError('The address of the service is missing, or not a URL: set it to https://…');
  const isSafe =
    url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!isSafe) {
    throw new TypeError(
      'The address of the service must begin with https://, else the key could be read on its way. ' +
        'Only for this machine (127.0.0.1, localhost) may it begin with http://.',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('The address of the service must have no user name, "?" or "#" in it.');
  }
  return url.href.replace(/\/+$/, '');
}

/** `URL.parse` is missing in Node 20. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** @throws TypeError, without the key */
export function parseKey(text: string | undefined): string {
  const key = trimmed(text);
  if (key === '')
    throw new TypeError('The API key is missing: get one from an admin of the platform.');
  if (/^[ -~]+$/.test(key)) return key;
  throw new TypeError(
    'The API key has a line break or another character in it that no key has: copy it again.',
  );
}

const MODES = ['wallet', 'email', 'token'] as const;

/** Exactly one of the three. */
export interface Subject {
  /** The address of a wallet, base58. */
  wallet?: string | undefined;
  email?: string | undefined;
  /** A verification token. */
  token?: string | undefined;
}

/** @returns the subject's mode, and its value, which is not empty */
export function parseSubject(subject: Subject): readonly [(typeof MODES)[number], string] {
  for (const mode of MODES) {
    const value = trimmed(subject[mode]).toWellFormed();
    if (value) return [mode, value];
  }
  throw new Refused(0, 'missing_subject', '', 'The wallet, e-mail address or token is missing.');
}
