// Finds out who runs the command line, for the records of changes.

import { applicationDefault } from 'firebase-admin/app';
import * as z from 'zod';

/** Recorded when the account is not known. */
export const UNKNOWN_ACTOR = 'cli';

const TOKEN_INFO = 'https://oauth2.googleapis.com/tokeninfo';
const DEADLINE_MS = 3_000;
const tokenInfo = z.object({ email: z.string() });

/**
 * Reads the account of the application default credentials.
 *
 * @returns its e-mail address, or `cli` if Google does not return it in time
 */
export async function readActor(): Promise<string> {
  try {
    const { access_token } = await applicationDefault().getAccessToken();
    const response = await fetch(TOKEN_INFO, {
      method: 'POST',
      body: new URLSearchParams({ access_token }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    return tokenInfo.parse(await response.json()).email;
  } catch {
    return UNKNOWN_ACTOR;
  }
}
