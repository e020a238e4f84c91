// Fetches the access tokens for calls to Google before they are needed, and caches them.

import { PAUSE_MAX_MS, TOKEN_LIMIT_MS, TOKEN_REFRESH_MS, TOKEN_USABLE_MS } from '../timeLimits.ts';
import { callGoogle, type Service } from './call.ts';
import { Connections } from './exchange.ts';
import { UnusableResponse } from './googleError.ts';
import { readJson } from './json.ts';

export interface AccessToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The address that Google's libraries use. It needs no DNS lookup. */
const METADATA_SERVER = '169.254.169.254';
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';
/** The characters that a header can contain. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Fetches tokens of the function's own account.
 * @param host the metadata server's host:port, if it is not the platform's
 */
export function metadataServerTokens(host = METADATA_SERVER): TokenCache {
  const metadataServer: Service = {
    name: 'the metadata server',
    connections: new Connections(`http://${host}`),
    authorize: async () => ({ headers: { 'Metadata-Flavor': 'Google' } }),
    // The server may briefly refuse calls while an instance starts.
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
    return callGoogle(metadataServer, { path: TOKEN_PATH, newReader: () => readJson(parse) });
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

  /**
   * Returns a valid token, and refreshes it in the background before it expires. Rejects if fetching
   * fails.
   */
  async get(): Promise<AccessToken> {
    const cached = this.#cached;
    const left = cached ? cached.expiresAt - Date.now() : 0;
    if (cached && left > TOKEN_USABLE_MS) {
      const isDue = left <= TOKEN_REFRESH_MS && Date.now() - this.#startedAt > PAUSE_MAX_MS;
      if (isDue) this.#refresh().catch(() => undefined);
      return cached;
    }
    // A refresh that began earlier may fail while this caller still has time, so try again.
    return await (this.#refreshing?.catch(() => this.#refresh()) ?? this.#refresh());
  }

  /** Drops a token that Google refused. */
  drop(token: AccessToken): void {
    if (this.#cached === token) this.#cached = undefined;
  }

  /** Runs one refresh at a time, which all callers share. */
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
