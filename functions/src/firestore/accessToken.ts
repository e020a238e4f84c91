// The access token that the service sends to Google: fetched early, cached while it is valid.

import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { withinDeadline } from '../deadline.ts';

export interface AccessToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The project that pays for the calls, where it is not the one that is called. */
  readonly quotaProject?: string | undefined;
}

/** The Google Cloud project that the service belongs to, and its access tokens. */
export interface GoogleAccount {
  readonly projectId: string;
  /** A token that is valid now. Rejects when none is cached and none could be fetched in time. */
  readonly accessToken: () => Promise<AccessToken>;
}

/** From then on a new token is fetched; the metadata server returns the same one until then. */
const REFRESH_BEFORE_EXPIRY_MS = 5 * 60_000;
/** A token that is about to expire could have expired when the call arrives. */
const USABLE_BEFORE_EXPIRY_MS = 10_000;
/** Longer than a slow metadata server takes, short enough to try again within a request. */
const ATTEMPT_MS = 3_500;
const RETRY_PAUSE_MIN_MS = 100;
const RETRY_PAUSE_MAX_MS = 1_000;
/** Ends before the read that waits for the token, so that the log says what was missing. */
const WAIT_MS = 7_500;

/**
 * Caches a token: returned while it is valid, refreshed in the background before it expires. Without
 * a valid one the caller waits, and a failed attempt is retried; one attempt is made at a time.
 *
 * @param fetchToken ends when its signal is aborted
 */
export function cacheAccessToken(
  fetchToken: (signal: AbortSignal) => Promise<AccessToken>,
): GoogleAccount['accessToken'] {
  let cached: AccessToken | undefined;
  let refreshing: Promise<AccessToken> | undefined;
  let failure: unknown;
  let pauseMs = 0;

  async function attempt(): Promise<AccessToken> {
    if (pauseMs > 0) await new Promise((over) => setTimeout(over, pauseMs));
    // Reset by a token that need not be refreshed soon.
    pauseMs = Math.min(Math.max(pauseMs * 2, RETRY_PAUSE_MIN_MS), RETRY_PAUSE_MAX_MS);
    const controller = new AbortController();
    try {
      cached = await withinDeadline(fetchToken(controller.signal), ATTEMPT_MS);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      controller.abort();
    }
    if (timeLeft(cached) > REFRESH_BEFORE_EXPIRY_MS) pauseMs = 0;
    return cached;
  }

  function refresh(): Promise<AccessToken> {
    refreshing ??= attempt().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function waitForToken(): Promise<AccessToken> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      try {
        return await withinDeadline(refresh(), deadline - Date.now());
      } catch (error) {
        if (Date.now() < deadline) continue;
        const cause = failure ?? error;
        throw new Error(`No access token could be fetched: ${messageOf(cause)}`, { cause });
      }
    }
  }

  return async () => {
    if (!cached || timeLeft(cached) <= USABLE_BEFORE_EXPIRY_MS) return await waitForToken();
    if (timeLeft(cached) <= REFRESH_BEFORE_EXPIRY_MS) refresh().catch(() => undefined);
    return cached;
  };
}

const timeLeft = ({ expiresAt }: AccessToken): number => expiresAt - Date.now();
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);

/** TLS, and with each call the access token. The first token is fetched at once. */
export function channelCredentials(accessToken: GoogleAccount['accessToken']): ChannelCredentials {
  accessToken().catch(() => undefined);
  const perCall = credentials.createFromMetadataGenerator((_, callback) => {
    accessToken()
      .then(({ value, quotaProject }) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${value}`);
        if (quotaProject) metadata.set('x-goog-user-project', quotaProject);
        return metadata;
      })
      .then((metadata) => callback(null, metadata), callback);
  });
  return credentials.combineChannelCredentials(credentials.createSsl(), perCall);
}
