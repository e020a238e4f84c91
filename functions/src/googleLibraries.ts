// What needs Google's large libraries: Firebase Authentication, and every kind of credentials but the
// platform's own. A file of its own when built, which most instances never load.

import { applicationDefault, type Credential, initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { GoogleAuth } from 'google-auth-library';
import type { AccessToken, GoogleAccount } from './firestore/accessToken.ts';

/** Firestore's and Authentication's. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Fetches a token of the application default credentials: those that GOOGLE_APPLICATION_CREDENTIALS
 * names, or else the ones of `gcloud auth application-default login`.
 *
 * @throws Error as google-auth-library does
 */
export async function fetchDefaultToken(): Promise<AccessToken> {
  // Created anew each time: its later requests would all wait for one that hangs.
  const client = await new GoogleAuth({ scopes: SCOPE }).getClient();
  const { token } = await client.getAccessToken();
  const { expiry_date } = client.credentials;
  if (!token || !expiry_date) throw new Error('the credentials gave no access token');
  return { value: token, expiresAt: expiry_date, quotaProject: client.quotaProjectId };
}

/** @throws Error when neither a key file nor the Google Cloud CLI nor a metadata server names it */
export async function findProjectId(): Promise<string> {
  try {
    return await new GoogleAuth().getProjectId();
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`Unknown project: set GOOGLE_CLOUD_PROJECT to its id. (${message})`, { cause });
  }
}

/**
 * Opens Firebase Authentication, or the emulator that FIREBASE_AUTH_EMULATOR_HOST names.
 *
 * @param platformToken the token to use; undefined uses the application default credentials
 */
export function openAuth(
  projectId: string,
  platformToken: GoogleAccount['accessToken'] | undefined,
): Auth {
  const credential = platformToken ? credentialOf(platformToken) : applicationDefault();
  return getAuth(initializeApp({ projectId, credential }, 'lookup'));
}

const credentialOf = (accessToken: GoogleAccount['accessToken']): Credential => ({
  async getAccessToken() {
    const { value, expiresAt } = await accessToken();
    return { access_token: value, expires_in: Math.floor((expiresAt - Date.now()) / 1_000) };
  },
});
