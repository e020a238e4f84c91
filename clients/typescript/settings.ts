// Parses the address of the service, the key and the subject, which people may have pasted.

import { Refused } from './failures.ts';

/** Removes white space and byte order marks around a text. */
const trimmed = (text: string | undefined): string => (text ?? '').trim();

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * @returns the address without a trailing slash
 * @throws TypeError that does not contain the address
 */
export function parseAddress(text: string | undefined): string {
  const url = parseUrl(trimmed(text));
  if (!url)
    throw new TypeError('The address of the service is missing or not a URL. Set it to https://…');
  const isSafe =
    url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!isSafe) {
    throw new TypeError(
      'The address of the service must begin with https:// to keep the key secret. ' +
        'http:// is allowed only for this machine (127.0.0.1, localhost).',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('The address of the service must not contain a user name, "?" or "#".');
  }
  return url.href.replace(/\/+$/, '');
}

/** Replaces `URL.parse`, which Node 20 does not have. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** @throws TypeError that does not contain the key */
export function parseKey(text: string | undefined): string {
  const key = trimmed(text);
  if (key === '')
    throw new TypeError('The API key is missing. Get one from an admin of the platform.');
  if (/^[ -~]+$/.test(key)) return key;
  throw new TypeError(
    'The API key contains a line break or another character that keys do not have. Copy it again.',
  );
}

const MODES = ['wallet', 'email', 'token'] as const;

/** Exactly one of the three must be set. */
export interface Subject {
  /** The base58 address of a wallet. */
  wallet?: string | undefined;
  email?: string | undefined;
  /** A verification token. */
  token?: string | undefined;
}

/** @returns the subject's mode and its non-empty value */
export function parseSubject(subject: Subject): readonly [(typeof MODES)[number], string] {
  for (const mode of MODES) {
    const value = trimmed(subject[mode]).toWellFormed();
    if (value) return [mode, value];
  }
  throw new Refused(0, 'missing_subject', '', 'The wallet, e-mail address or token is missing.');
}
