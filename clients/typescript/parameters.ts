// What callers pass to the client: the address, the key and the subject. Errors contain none of them.

import { SubjectRefused } from './errors.ts';

type Text = string | null | undefined;

/** The person to look up. Exactly one of the three has a value. */
export type Subject =
  | { wallet: Text; email?: undefined; token?: undefined }
  | { wallet?: undefined; email: Text; token?: undefined }
  | { wallet?: undefined; email?: undefined; token: Text };

export interface Options {
  /** Aborts the lookups. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The milliseconds of each lookup, instead of those of the client. */
  timeout?: number | undefined;
}

/** Removes white space and byte order marks around a text. Without types, a caller may pass anything. */
const trimmed = (text: unknown): string => (typeof text === 'string' ? text.trim() : '');

/** @returns a variable of the environment; empty on runtimes without one */
export const variable = (name: string): string =>
  trimmed(Object(Object(Reflect.get(globalThis, 'process')).env)[name]);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @returns the address without a trailing slash @throws TypeError that does not contain the address */
export function parseAddress(text: string, allowPlainHttp = false): string {
  const address = trimmed(text);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isHttp = url?.protocol === 'http:' && (allowPlainHttp || LOOPBACK.test(url.hostname));
  const isSafe = isHttp || url?.protocol === 'https:';
  if (url && isSafe && !(url.username || url.password || url.search || url.hash))
    return url.href.replace(/\/+$/, '');
  throw new TypeError(
    'Set the address of the service (POH_URL) to https://…, without a user name, "?" and "#". ' +
      'Only for this machine (127.0.0.1, localhost) it may be http://, because others could read the key.',
  );
}

/** @throws TypeError that does not contain the key */
export function parseKey(text: string): string {
  const key = trimmed(text);
  if (/^[ -~]+$/.test(key)) return key;
  throw new TypeError(
    'The API key (POH_KEY) is missing, or contains a character that keys do not have. Copy it again.',
  );
}

/** @throws TypeError if it is not a number from a lowest one */
export function parseNumber(name: string, value: number, lowest: number): number {
  if (value >= lowest) return value;
  throw new TypeError(`Set ${name} to a number of at least ${lowest}.`);
}

const MODES = ['wallet', 'email', 'token'] as const;

/** A value that the parser of a query or a form makes. Programs pass anything else only by mistake. */
const isOfForm = (value: unknown): boolean =>
  value === null ||
  ['undefined', 'string'].includes(typeof value) ||
  Array.isArray(value) ||
  Object.getPrototypeOf(value) === Object.prototype;

/** @returns the mode and the value @throws TypeError if the caller is wrong, and SubjectRefused if the person is */
export function parseSubject(subject: Subject): readonly [mode: string, value: string] {
  const fields: Record<string, unknown> = Object(subject);
  const named = MODES.filter((mode) => mode in fields);
  if (named.length === 0 || !named.every((mode) => isOfForm(fields[mode])))
    throw new TypeError('Pass a subject such as { token }, { wallet } or { email }, as a text.');
  const [only, ...others] = named
    .map((mode) => [mode, trimmed(fields[mode]).toWellFormed()] as const)
    .filter(([, value]) => value !== '');
  if (others.length > 0) throw new TypeError('Look up only one of wallet, email and token.');
  const message = 'The wallet, e-mail address or token is missing.';
  if (!only) throw new SubjectRefused(message, { code: 'missing_subject' });
  return only;
}
