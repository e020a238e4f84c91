// Which Google Cloud project the service belongs to, and with which credentials it reads there.

import type { Auth } from 'firebase-admin/auth';
import { cacheAccessToken, type GoogleAccount } from './firestore/accessToken.ts';
import { fetchMetadataServerToken } from './platform/metadataServer.ts';
import { withRequestsUntil, withSharedRequests } from './platform/outgoingRequests.ts';
import type { Accounts } from './subject.ts';

/** Loaded on demand: a wallet or token lookup on Google's platform does not need it. */
const googleLibraries = () => import('./googleLibraries.ts');

/**
 * Finds the project, and opens the credentials: the platform's own on Cloud Run, and otherwise those
 * that GOOGLE_APPLICATION_CREDENTIALS names, or else the Google Cloud CLI's.
 *
 * @throws Error when the project cannot be determined
 */
export async function findGoogleAccount(): Promise<GoogleAccount> {
  return {
    projectId: configuredProjectId() ?? (await (await googleLibraries()).findProjectId()),
    accessToken: cacheAccessToken(
      hasMetadataServer()
        ? fetchMetadataServerToken
        : async () => (await googleLibraries()).fetchDefaultToken(),
    ),
  };
}

/** Opens Firebase Authentication of the account's project, at the first lookup by e-mail address. */
export function openAccounts(findAccount: () => Promise<GoogleAccount>): Accounts {
  let opened: Auth | undefined;
  return {
    async getUserByEmail(email, signal) {
      const { openAuth } = await googleLibraries();
      const { projectId, accessToken } = await findAccount();
      const sharedToken = () => withSharedRequests(accessToken);
      opened ??= openAuth(projectId, hasMetadataServer() ? sharedToken : undefined);
      const auth = opened;
      return await withRequestsUntil(signal, () => auth.getUserByEmail(email));
    },
  };
}

/** @returns one account for all calls; a failure is not cached */
export function once(find: () => Promise<GoogleAccount>): () => Promise<GoogleAccount> {
  let found: Promise<GoogleAccount> | undefined;
  return () => {
    found ??= find().catch((error) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

/** Firebase sets FIREBASE_CONFIG for a deployed function; elsewhere the other variables name the project. */
function configuredProjectId(): string | undefined {
  const { FIREBASE_CONFIG, GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT } = process.env;
  // Otherwise it is a file's path, which Firebase sets for no function.
  const firebase = FIREBASE_CONFIG?.startsWith('{') ? JSON.parse(FIREBASE_CONFIG).projectId : '';
  return firebase || GOOGLE_CLOUD_PROJECT || GCLOUD_PROJECT || undefined;
}

/** K_SERVICE is set on Cloud Run, but by the Functions emulator as well. */
function hasMetadataServer(): boolean {
  const { K_SERVICE, FUNCTIONS_EMULATOR, GOOGLE_APPLICATION_CREDENTIALS } = process.env;
  return Boolean(K_SERVICE && !FUNCTIONS_EMULATOR && !GOOGLE_APPLICATION_CREDENTIALS);
}
