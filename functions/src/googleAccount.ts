// Which Google Cloud project the service belongs to, and with which credentials it reads there.

import { type App, applicationDefault } from 'firebase-admin/app';
import type { GoogleAccount } from './firestore/accessToken.ts';

/** @throws Error when nothing tells the project */
export async function googleAccountOf({ options }: App): Promise<GoogleAccount> {
  const { GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT } = process.env;
  const projectId = options.projectId || GOOGLE_CLOUD_PROJECT || GCLOUD_PROJECT;
  if (!projectId) throw new Error('Unknown project: set GOOGLE_CLOUD_PROJECT to its id.');
  const credential = options.credential ?? applicationDefault();
  return {
    projectId,
    accessToken: async () => (await credential.getAccessToken()).access_token,
  };
}
