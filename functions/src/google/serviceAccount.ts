// The service's Google Cloud project, and its access tokens, which are fetched before they are needed.

import {
  ACCESS_TOKEN_DOUBT_MS,
  ACCESS_TOKEN_LIFE_MAX_MS,
  ACCESS_TOKEN_LIMIT_MS,
  ACCESS_TOKEN_REFRESH_MS,
  ACCESS_TOKEN_USABLE_MS,
  PAUSE_MAX_MS,
} from '../timeLimits.ts';
import { type Authorization, type Authorize, openService } from './call.ts';
import { UnusableResponse } from './exchange.ts';
import { type JsonObject, readJson } from './responseJson.ts';

export type GoogleAccount = Readonly<ReturnType<typeof openGoogleAccount>>;

/**
 * Opens the account of a function on Cloud Run, whose tokens come from the metadata server. With the
 * emulators, no token is fetched.
 *
 * @throws Error if the environment does not name the project
 */
export function openGoogleAccount(env: NodeJS.ProcessEnv) {
  // firebase-tools sets it for the deployed function and for the emulators.
  const projectId = env['GCLOUD_PROJECT'];
  if (!projectId) throw new Error('Unknown project: set GCLOUD_PROJECT to its id.');
  return { projectId, authorize: accessTokens(env['GCE_METADATA_HOST'] || METADATA_SERVER) };
}

/** Authorizes calls to an emulator, with the token that it accepts as an administrator's. */
export const authorizeAtEmulator = async (): Promise<Authorization> => ({
  headers: { Authorization: 'Bearer owner' },
});

/** The address that Google's libraries use. It needs no name server. */
const METADATA_SERVER = '169.254.169.254';
const authorizeAtMetadataServer = async () => ({ headers: { 'Metadata-Flavor': 'Google' } });
/** The characters that a header can contain. */
const TOKEN = /^[\x21-\x7e]+$/;

interface AccessToken extends Authorization {
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** @param host the metadata server's host:port @returns a function that returns the current token */
function accessTokens(host: string): Authorize {
  // The server may refuse calls for a moment while an instance starts, so every status is transient.
  const call = openService('the metadata server', authorizeAtMetadataServer, () => true);
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`);
  let cached: AccessToken | undefined;
  let refreshing: Promise<AccessToken> | undefined;
  let requestedAt = 0;
  let doubtedAt = -Infinity;

  function readToken(json: JsonObject): AccessToken {
    const { access_token: value, expires_in: seconds } = json;
    if (typeof value !== 'string' || !TOKEN.test(value) || typeof seconds !== 'number') {
      throw new UnusableResponse('the metadata server sent no access token');
    }
    const token: AccessToken = {
      headers: { Authorization: `Bearer ${value}` },
      expiresAt: requestedAt + Math.min(seconds * 1_000, ACCESS_TOKEN_LIFE_MAX_MS),
      dropToken(isCertain) {
        // Another call has already dropped it.
        if (cached !== token) return true;
        const now = performance.now();
        // A request may be refused for many other reasons, for which no new token helps.
        if (!isCertain && now - doubtedAt < ACCESS_TOKEN_DOUBT_MS) return false;
        if (!isCertain) doubtedAt = now;
        cached = undefined;
        return true;
      },
    };
    cached = token;
    return token;
  }
  /** Runs one refresh at a time, which all callers share. */
  function refresh(): Promise<AccessToken> {
    if (refreshing) return refreshing;
    requestedAt = Date.now();
    const signal = AbortSignal.timeout(ACCESS_TOKEN_LIMIT_MS);
    refreshing = call({ url, newReader: () => readJson(readToken), signal }).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }
  /** Returns a valid token, and refreshes it in the background before it expires. */
  return async (onFailure) => {
    const left = cached ? cached.expiresAt - Date.now() : 0;
    if (cached && left > ACCESS_TOKEN_USABLE_MS) {
      const isDue = left <= ACCESS_TOKEN_REFRESH_MS && Date.now() - requestedAt > PAUSE_MAX_MS;
      if (isDue) refresh().catch(() => undefined);
      return cached;
    }
    // A refresh that began earlier may fail while this caller still has time, so try again.
    const refreshAgain = (failure: unknown): Promise<AccessToken> => {
      onFailure(failure);
      return refresh();
    };
    return await (refreshing?.catch(refreshAgain) ?? refresh());
  };
}
