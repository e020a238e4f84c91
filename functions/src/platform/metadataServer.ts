// Reads access tokens of the platform's metadata server, which every instance has beside it. By Node's
// own client: Google's library takes longer to load than all the rest of a wallet lookup.

import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AccessToken } from '../firestore/accessToken.ts';

/** The address that Google's libraries use, without a look-up of its name. */
const METADATA_SERVER = '169.254.169.254';
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';

/**
 * Fetches a token of the function's own service account.
 *
 * @throws Error when there is no metadata server, or it has no token
 */
export async function fetchMetadataServerToken(signal: AbortSignal): Promise<AccessToken> {
  // Google's libraries know this variable too; the tests set it.
  const host = process.env['GCE_METADATA_HOST'] || METADATA_SERVER;
  const requestedAt = Date.now();
  const response = await get(`http://${host}${TOKEN_PATH}`, signal);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(
      `the metadata server responded ${response.statusCode}; check the function's service account`,
    );
  }
  const { access_token: value, expires_in: seconds } = Object(await json(response));
  if (typeof value !== 'string' || value === '' || typeof seconds !== 'number') {
    throw new Error('the metadata server sent no access token');
  }
  return { value, expiresAt: requestedAt + seconds * 1_000 };
}

function get(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { signal, agent: false, headers: { 'Metadata-Flavor': 'Google' } })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}
