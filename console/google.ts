// Signing in with Google by a redirect of the whole page. The SDK's own popup and redirect load
// scripts of Google's that need inline code, which this site's policy forbids; so Authentication is
// called directly: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts

import { FirebaseError } from 'firebase/app';
import { GoogleAuthProvider, signInWithCredential } from 'firebase/auth';
import type { Backend } from './backend.ts';
import { inTime } from './problems.ts';
import { adoptLatestSignOut } from './session.ts';

/** Binds the response to the tab in which the sign-in began. */
const SESSION_ITEM = 'poh-google-session';

type Fields = Readonly<Record<string, unknown>>;

/** @throws FirebaseError with the code that the SDK gives the same refusal */
function parseResponse(value: unknown): Fields {
  const { error, ...fields } = value as Fields;
  if (error === undefined) return fields;
  const { message } = error as { message?: unknown };
  // As in "USER_DISABLED" and "OPERATION_NOT_ALLOWED : The provider is disabled."
  const reason = /^[A-Z_]+(?= |$)/.exec(String(message))?.[0] ?? 'UNEXPECTED_RESPONSE';
  throw new FirebaseError(`auth/${reason.toLowerCase().replaceAll('_', '-')}`, String(message));
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new FirebaseError('auth/unexpected-response', `the response has no ${name}`);
}

async function call({ accountsUrl, apiKey }: Backend, verb: string, body: object): Promise<Fields> {
  const request = fetch(`${accountsUrl}:${verb}?key=${encodeURIComponent(apiKey)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const response = await inTime(request.then((answer) => answer.json())).catch(() => {
    throw new FirebaseError('auth/network-request-failed', `no response to ${verb}`);
  });
  return parseResponse(response);
}

/**
 * Leaves the page for Google.
 *
 * @throws FirebaseError when the project does not let people sign in with Google here
 */
export async function beginGoogle(backend: Backend): Promise<void> {
  const beginning = await call(backend, 'createAuthUri', {
    providerId: 'google.com',
    continueUri: location.origin + location.pathname,
  });
  const target = new URL(textOf(beginning, 'authUri'));
  if (target.protocol !== 'https:')
    throw new FirebaseError('auth/unexpected-response', 'the address at Google is not https');
  sessionStorage.setItem(SESSION_ITEM, textOf(beginning, 'sessionId'));
  location.assign(target);
}

/**
 * Ends a sign-in that began in this tab, if there is one: Google has sent the person back.
 *
 * @throws FirebaseError when the person, Google or Authentication refuses it
 */
export async function finishGoogle(backend: Backend): Promise<void> {
  const sessionId = sessionStorage.getItem(SESSION_ITEM);
  sessionStorage.removeItem(SESSION_ITEM);
  const { href, pathname, search } = location;
  // Removes the code, which can be used once, from the address and the history.
  if (search !== '') history.replaceState(null, '', pathname);
  if (sessionId === null || search === '') return;
  const refusal = new URLSearchParams(search).get('error');
  if (refusal !== null) throw new FirebaseError(`auth/google-${refusal}`, 'Google refused');
  const response = await call(backend, 'signInWithIdp', {
    requestUri: href,
    sessionId,
    returnSecureToken: true,
    returnIdpCredential: true,
  });
  const credential = GoogleAuthProvider.credential(textOf(response, 'oauthIdToken'));
  adoptLatestSignOut(backend.auth);
  await signInWithCredential(backend.auth, credential);
}
