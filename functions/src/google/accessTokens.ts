// The access tokens that calls of Google carry: fetched early, and kept while they are valid.

import { PAUSE_MAX_MS, TOKEN_LIMIT_MS, TOKEN_REFRESH_MS, TOKEN_USABLE_MS } from '../timeLimits.ts';
import { callGoogle, type Service } from './call.ts';
import { Connections, readJson } from './exchange.ts';
import { UnusableResponse } from './googleError.ts';

export interface AccessToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The project that pays for the calls, where it is not the one that is called. */
  readonly quotaProject?: string | undefined;
}

/** The address that Google's libraries use, which needs no look-up of a name. */
const METADATA_SERVER = '169.254.169.254';
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';
const RESPONSE_MAX_LENGTH = 1024 ** 2;
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Those of the function's own account. @param host the metadata server's host:port, where it is not the platform's */
export function metadataServerTokens(host = METADATA_SERVER): TokenCache {
  const metadataServer: Service = {
    name: 'the metadata server',
    connections: new Connections(`http://${host}`),
    authorize: async () => ({ headers: { 'Metadata-Flavor': 'Google' } }),
    // It may refuse for a moment while an instance starts.
    isTransient: () => true,
    limitMs: TOKEN_LIMIT_MS,
  };
  return new TokenCache(() => {
    const requestedAt = Date.now();
    const parse = (json: unknown): AccessToken => {
      const { access_token: value, expires_in: seconds } = Object(json);
      const isToken = typeof value === 'string' && TOKEN.test(value) && Number.isFinite(seconds);
      if (!isToken) throw new UnusableResponse('the metadata server sent no access token');
      return { value, expiresAt: requestedAt + seconds * 1_000 };
    };
    const newReader = () => readJson(RESPONSE_MAX_LENGTH, parse);
    return callGoogle(metadataServer, { path: TOKEN_PATH, newReader });
  });
}

export class TokenCache {
  readonly #fetch: () => Promise<AccessToken>;
  #cached: AccessToken | undefined;
  #refreshing: Promise<AccessToken> | undefined;
  #startedAt = 0;

  constructor(fetch: () => Promise<AccessToken>) {
    this.#fetch = fetch;
  }

  /** A token that is valid now; refreshed in the background before it expires. Rejects as fetching does. */
  async get(): Promise<AccessToken> {
    const cached = this.#cached;
    const left = cached ? cached.expiresAt - Date.now() : 0;
    if (cached && left > TOKEN_USABLE_MS) {
      const isDue = left <= TOKEN_REFRESH_MS && Date.now() - this.#startedAt > PAUSE_MAX_MS;
      if (isDue) this.#refresh().catch(() => undefined);
      return cached;
    }
    // One that began earlier may fail before this caller's time is up.
    return await (this.#refreshing?.catch(() => this.#refresh()) ?? this.#refresh());
  }

  /** Forgets a token that was refused. */
  drop(token: AccessToken): void {
    if (this.#cached === token) this.#cached = undefined;
  }

  /** One at a time, for all who wait. */
  #refresh(): Promise<AccessToken> {
    this.#refreshing ??= this.#fetchAndKeep().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #fetchAndKeep(): Promise<AccessToken> {
    this.#startedAt = Date.now();
    this.#cached = await this.#fetch();
    return this.#cached;
  }
}
