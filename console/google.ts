// Signing in with Google by a redirect of the whole page. The SDK's own popup and redirect load
// scripts of Google's that need inline code, which this site's policy forbids; so Authentication is
// called directly: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts

import { GoogleAuthProvider, signInWithCredential } from 'firebase/auth';
import * as z from 'zod';
import type { Backend } from './backend.ts';

/** Binds the response to the tab in which the sign-in began. */
const SESSION_ITEM = 'poh-google-session';

const beginningSchema = z.object({
  authUri: z.url({ protocol: /^https$/ }),
  sessionId: z.string(),
});
const endSchema = z.object({ oauthIdToken: z.string() });

async function call(
  { accountsUrl, apiKey }: Backend,
  verb: string,
  body: object,
): Promise<unknown> {
  const response = await fetch(`${accountsUrl}:${verb}?key=${encodeURIComponent(apiKey)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await response.json();
}

/**
 * Checks whether the project lets people sign in with Google here.
 *
 * @returns what begins it and leaves the page, or undefined
 */
export async function offerGoogle(backend: Backend): Promise<(() => void) | undefined> {
  const response = await call(backend, 'createAuthUri', {
    providerId: 'google.com',
    continueUri: location.origin + location.pathname,
  }).catch(() => undefined);
  const beginning = beginningSchema.safeParse(response).data;
  if (!beginning) return undefined;
  return () => {
    sessionStorage.setItem(SESSION_ITEM, beginning.sessionId);
    location.assign(beginning.authUri);
  };
}

/**
 * Ends a sign-in that began in this tab, if there is one: Google has sent the person back.
 *
 * @throws Error when Google or Authentication refuses it
 */
export async function finishGoogle(backend: Backend): Promise<void> {
  const sessionId = sessionStorage.getItem(SESSION_ITEM);
  sessionStorage.removeItem(SESSION_ITEM);
  const { href, pathname, search } = location;
  if (sessionId === null || search === '') return;
  // Removes the code, which can be used once, from the address and the history.
  history.replaceState(null, '', pathname);
  const response = await call(backend, 'signInWithIdp', {
    requestUri: href,
    sessionId,
    returnSecureToken: true,
    returnIdpCredential: true,
  });
  const { oauthIdToken } = endSchema.parse(response);
  await signInWithCredential(backend.auth, GoogleAuthProvider.credential(oauthIdToken));
}
