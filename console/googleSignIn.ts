// Signs in with Google by redirecting the whole page. The SDK's popup and redirect load Google
// scripts that need inline code, which this site's policy forbids. This file therefore calls
// Authentication directly: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts

import { FirebaseError } from 'firebase/app';
import { type Auth, GoogleAuthProvider, signInWithCredential } from 'firebase/auth';
import { ACCOUNTS_URL } from './backend.ts';
import { withTimeout } from './problems.ts';

/** Binds the response to the tab in which the sign-in began. */
const SESSION_ITEM = 'poh-google-session';
/** The page's own query, which Google does not return. */
const QUERY_ITEM = 'poh-google-query';
/** An error code (RFC 6749, 4.1.2.1), and no sentence that somebody put into a link. */
const REFUSAL = /^[a-z_]{1,40}$/;

/** The fields of the two responses. Each has those that its caller uses. */
type Fields = Readonly<Record<'authUri' | 'sessionId' | 'oauthIdToken', string>>;

/** @throws FirebaseError with the SDK's code for the same error */
async function call({ app }: Auth, verb: string, body: object): Promise<Fields> {
  const apiKey = encodeURIComponent(app.options.apiKey ?? '');
  const request = fetch(`${ACCOUNTS_URL}:${verb}?key=${apiKey}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const response = withTimeout(request.then((received) => received.json())).catch(() => {
    throw new FirebaseError('auth/network-request-failed', `no response to ${verb}`);
  });
  const { error, ...fields } = (await response) as Fields & { error?: { message: string } };
  if (!error) return fields;
  // For example "USER_DISABLED" and "OPERATION_NOT_ALLOWED : The provider is disabled."
  const reason = /^[A-Z_]+(?= |$)/.exec(error.message)?.[0] ?? 'UNEXPECTED_RESPONSE';
  throw new FirebaseError(`auth/${reason.toLowerCase().replaceAll('_', '-')}`, error.message);
}

/**
 * Redirects to Google's sign-in page.
 *
 * @throws FirebaseError when the project does not allow sign-in with Google from this page
 */
export async function beginGoogle(auth: Auth): Promise<void> {
  const { authUri, sessionId } = await call(auth, 'createAuthUri', {
    providerId: 'google.com',
    continueUri: location.origin + location.pathname,
  });
  sessionStorage.setItem(SESSION_ITEM, sessionId);
  sessionStorage.setItem(QUERY_ITEM, location.search);
  location.assign(authUri);
}

/** Whether Google has redirected to this address. */
export function isGoogleResponse(): boolean {
  const response = new URLSearchParams(location.search);
  return response.has('code') || response.has('error');
}

/**
 * Completes a sign-in that began in this tab. Call it if the address is Google's response.
 *
 * @throws FirebaseError when the user, Google or Authentication refuses the sign-in, or it began elsewhere
 */
export async function finishGoogle(auth: Auth): Promise<void> {
  const [sessionId, query] = [SESSION_ITEM, QUERY_ITEM].map((name) => {
    const kept = sessionStorage.getItem(name);
    sessionStorage.removeItem(name);
    return kept;
  });
  const { href, pathname, search } = location;
  // Removes the single-use code from the address and the history.
  history.replaceState(null, '', pathname + (query ?? ''));
  const refusal = new URLSearchParams(search).get('error');
  const refused = refusal && REFUSAL.test(refusal) ? refusal : 'unknown';
  if (refusal !== null) throw new FirebaseError(`auth/google-${refused}`, 'Google refused');
  if (!sessionId) throw new FirebaseError('auth/google-elsewhere', 'no session in this tab');
  const { oauthIdToken } = await call(auth, 'signInWithIdp', {
    requestUri: href,
    sessionId,
    returnSecureToken: true,
    returnIdpCredential: true,
  });
  await signInWithCredential(auth, GoogleAuthProvider.credential(oauthIdToken));
}
