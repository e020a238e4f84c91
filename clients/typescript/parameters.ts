// What callers pass to the client: the address, the key and the subject. Errors contain none of them.

/** The person to look up. Exactly one of the three is set. */
export type Subject =
  | { wallet: string | undefined; email?: undefined; token?: undefined }
  | { wallet?: undefined; email: string | undefined; token?: undefined }
  | { wallet?: undefined; email?: undefined; token: string | undefined };

/** Removes white space and byte order marks around a text. Without types, a caller may pass anything. */
const trimmed = (text: unknown): string => (typeof text === 'string' ? text.trim() : '');

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @returns the address without a trailing slash @throws TypeError that does not contain the address */
export function parseAddress(text: string | undefined): string {
  const address = trimmed(text);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url && isSafe && !(url.username || url.password || url.search || url.hash))
    return url.href.replace(/\/+$/, '');
  throw new TypeError(
    'Set the address of the service to https://…, without a user name, "?" and "#". ' +
      'Only for this machine (127.0.0.1, localhost) it may be http://, because others could read the key.',
  );
}

/** @throws TypeError that does not contain the key */
export function parseKey(text: string | undefined): string {
  const key = trimmed(text);
  if (/^[ -~]+$/.test(key)) return key;
  throw new TypeError(
    'The API key is missing, or contains a character that keys do not have. Copy it again.',
  );
}

/** @returns the subject's mode and its value; undefined if it is empty */
export function parseSubject(subject: Subject): readonly [mode: string, value: string] | undefined {
  const [only, ...others] = (['wallet', 'email', 'token'] as const)
    .map((mode) => [mode, trimmed(Object(subject)[mode]).toWellFormed()] as const)
    .filter(([, value]) => value !== '');
  if (others.length > 0) throw new TypeError('Look up only one of wallet, email and token.');
  return only;
}
