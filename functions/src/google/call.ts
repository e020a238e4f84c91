// Calls a Google service, and repeats the call until a complete response has arrived.

import type { ClientRequest } from 'node:http';
import { FIRST_PAUSE_MS, PAUSE_GROWTH, PAUSE_MAX_MS } from '../timeLimits.ts';
import {
  type BodyReader,
  closeIdle,
  GoogleError,
  receive,
  send,
  UnusableResponse,
} from './exchange.ts';

/** The headers with an access token. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Call it when Google refuses the token.
   *
   * @param isCertain whether the token alone can be the reason
   * @returns whether another token is worth a try
   */
  readonly dropToken?: (isCertain: boolean) => boolean;
}

/** Calls `onFailure` with a failure after which it tries again. Rejects when no access token is available. */
export type Authorize = (onFailure: (failure: unknown) => void) => Promise<Authorization>;

export interface Call<Result> {
  /** With `https:`, or with `http:` for the metadata server and emulators. */
  readonly url: URL;
  /** Sent as JSON with POST. Without content, the call is a GET. */
  readonly content?: object;
  /** Called when a request is sent. */
  readonly newReader: () => BodyReader<Result>;
  /** Ends the call when it is aborted. */
  readonly signal: AbortSignal;
  /** Converts an error that is an answer, or returns undefined. */
  readonly answerOf?: (error: GoogleError) => Result | undefined;
}

interface Service {
  /** The name in messages. */
  readonly name: string;
  readonly authorize: Authorize;
  /** Whether to repeat a call after a response with this status. */
  readonly isTransient: (httpStatus: number | undefined) => boolean;
}

/** The statuses that Google's own clients retry for reads. 409 is ABORTED. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([
  408, 409, 429, 499, 500, 502, 503, 504,
]);

/** How often a call is repeated after each kind of failure. An unusable response is billed too. */
const REPEATS_MAX = { transient: Infinity, unauthenticated: 1, unusable: 1, final: 0 };
type Kind = keyof typeof REPEATS_MAX;

/**
 * Returns a function that makes a call to a service, and repeats it
 * - after a pause, if it fails transiently;
 * - on a new connection, if nothing arrives (the first attempt may still deliver a slow response);
 * - once, with a new access token, if Google refuses the token;
 * - only once if the response is unusable, because each response is billed.
 *
 * It rejects with GoogleError, or with the signal's reason if that is aborted already.
 */
export function openService(
  name: string,
  authorize: Authorize,
  isTransient: Service['isTransient'] = (httpStatus) => TRANSIENT.has(httpStatus),
) {
  return async <Result>(call: Call<Result>): Promise<Result> => {
    call.signal.throwIfAborted();
    return await new Attempts({ name, authorize, isTransient }, call).begin();
  };
}

/** The attempts of one call, until one of them settles it. */
class Attempts<Result> {
  readonly #service: Service;
  readonly #call: Call<Result>;
  readonly #outcome = Promise.withResolvers<Result>();
  readonly #body: string | undefined;
  readonly #failures = { transient: 0, unauthenticated: 0, unusable: 0, final: 0 };
  /** The first, which may still get a slow response, and the latest. */
  readonly #inFlight: ClientRequest[] = [];
  #pauseMs = FIRST_PAUSE_MS;
  #lastFailure: unknown;
  #isSettled = false;

  constructor(service: Service, call: Call<Result>) {
    this.#service = service;
    this.#call = call;
    this.#body = call.content && JSON.stringify(call.content);
  }

  begin(): Promise<Result> {
    this.#call.signal.addEventListener('abort', this.#giveUp);
    this.#attempt();
    return this.#outcome.promise;
  }

  #attempt = (): void => {
    const keepFailure = (failure: unknown): void => {
      this.#lastFailure = failure;
    };
    this.#service.authorize(keepFailure).then(
      (authorization) => this.#isSettled || this.#send(authorization),
      (error) => this.#fail(error),
    );
  };

  #send({ headers, dropToken }: Authorization): void {
    const { url, newReader } = this.#call;
    const body = this.#body;
    const all = body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' };
    const request = send(url, all, body, this.#onSilence);
    this.#inFlight.push(request);
    receive(request, newReader()).then(
      (result) => this.#succeed(result),
      (error) => this.#onFailure(request, error, dropToken),
    );
  }

  /** Called at most once for each attempt, so the silent one is the latest. */
  #onSilence = (): void => {
    closeIdle();
    if (this.#inFlight.length > 1) this.#inFlight.pop()?.destroy();
    this.#attempt();
  };

  #onFailure(request: ClientRequest, error: unknown, dropToken: Authorization['dropToken']): void {
    const index = this.#inFlight.indexOf(request);
    // The request was destroyed, because a later attempt replaced it, or the call is settled.
    if (index < 0) return;
    const isLatest = request === this.#inFlight.at(-1);
    this.#inFlight.splice(index, 1);
    this.#lastFailure = error;
    const answer = error instanceof GoogleError ? this.#call.answerOf?.(error) : undefined;
    if (answer !== undefined) {
      this.#succeed(answer);
      return;
    }
    const kind = this.#kindOf(error, dropToken);
    this.#failures[kind] += 1;
    // The peer had closed this idle connection.
    const wasClosed = !(error instanceof GoogleError) && request.reusedSocket;
    // After a response to another request, no connection of this peer can be trusted.
    if (kind === 'unusable') closeIdle();
    if (this.#failures[kind] > REPEATS_MAX[kind]) this.#fail(error);
    else if (!isLatest) return;
    else if (kind !== 'transient' || wasClosed) this.#attempt();
    else {
      setTimeout(this.#attempt, this.#pauseMs * (0.8 + 0.4 * Math.random()));
      this.#pauseMs = Math.min(this.#pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
    }
  }

  #kindOf(error: unknown, dropToken: Authorization['dropToken']): Kind {
    if (error instanceof UnusableResponse) return 'unusable';
    // Node's own errors mean that the connection failed.
    if (!(error instanceof GoogleError)) return 'transient';
    const { httpStatus } = error.details;
    if (this.#service.isTransient(httpStatus)) return 'transient';
    const isRefused = httpStatus === 401 || httpStatus === 403 || httpStatus === 400;
    return isRefused && dropToken?.(httpStatus === 401) ? 'unauthenticated' : 'final';
  }

  #giveUp = (): void =>
    this.#fail(
      new GoogleError(`${this.#service.name} did not respond in time`, {}, this.#lastFailure),
    );

  #succeed(result: Result): void {
    if (this.#settle()) this.#outcome.resolve(result);
  }

  #fail(error: unknown): void {
    if (this.#settle()) this.#outcome.reject(error);
  }

  /** @returns whether the call was not settled before */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    for (const request of this.#inFlight.splice(0)) request.destroy();
    return true;
  }
}
