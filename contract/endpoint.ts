// Where the endpoint is and how it is called: its name, paths, headers and parameters. Imports nothing, so that a program
// that needs one of these constants loads nothing else.

/** The name of the function, which is also the last part of its URL (specification, 4.1). */
export const ENDPOINT_NAME = 'pohAttestationsEndpoint';
export const ENDPOINT_PATH = `/${ENDPOINT_NAME}`;

export const KEY_HEADER = 'X-PoH-API-Key';
/** When the API key ends, in responses to a key that has an end: ISO 8601 in UTC, with seconds. */
export const KEY_ENDS_HEADER = 'X-PoH-Key-Ends';

/** The query parameters that supply a subject, in the order in which they are checked. Each is a mode of the lookup. */
export const MODES = ['wallet', 'email', 'token'] as const;
export type Mode = (typeof MODES)[number];

/** A longer e-mail address cannot exist (RFC 5321, 4.5.3.1), so no account is looked up. */
export const EMAIL_MAX_LENGTH = 254;

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

export const TOKEN_LIFETIME_MS = DAY_MS;
/** The lifetime of a verification token in words. */
export const TOKEN_LIFETIME = `${TOKEN_LIFETIME_MS / HOUR_MS} hours`;

/**
 * Every response has these headers. Without `no-store`, Firebase Hosting would cache a 404 by its URL for ten minutes, and
 * return it to callers without a key. Without `no-transform`, a proxy might compress the body, which would invalidate its
 * Content-Digest.
 */
export const RESPONSE_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The path at which Hosting serves the public keys that verify the responses' signatures. */
export const KEY_SET_PATH = '/.well-known/http-message-signatures-directory';
