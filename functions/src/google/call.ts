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

/** The headers with an access token. Call `dropToken` when Google refuses the token. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  readonly dropToken?: () => void;
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
}

/** The statuses that Google's own clients retry for reads. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([408, 429, 499, 500, 502, 503, 504]);

/** How often a call is repeated after each kind of failure. An unusable response is billed too. */
const REPEATS_MAX = { transient: Infinity, unauthenticated: 1, unusable: 1, final: 0 };

/**
 * Returns a function that makes a call to a service, and repeats it
 * - after a pause, if it fails transiently;
 * - on a new connection, if nothing arrives (the first attempt may still deliver a slow response);
 * - once, with a new access token, if Google refuses the token;
 * - only once if the response is unusable, because each response is billed.
 *
 * It rejects with GoogleError, or with the signal's reason if that is aborted already.
 *
 * @param name the name in messages
 * @param isTransient whether to repeat a call after a response with this status
 */
export function openService(
  name: string,
  authorize: Authorize,
  isTransient = (httpStatus: number | undefined) => TRANSIENT.has(httpStatus),
) {
  return <Result>({ url, content, newReader, signal }: Call<Result>): Promise<Result> => {
    const body = content && JSON.stringify(content);
    const entity = body && {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      /** At most two attempts: the first, which may still get a slow response, and the latest. */
      const inFlight: ClientRequest[] = [];
      const failures = { transient: 0, unauthenticated: 0, unusable: 0, final: 0 };
      let pauseMs = FIRST_PAUSE_MS;
      let pause: NodeJS.Timeout | undefined;
      let lastFailure: unknown;
      let isSettled = false;

      const settle = (how: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(pause);
        signal.removeEventListener('abort', giveUp);
        how();
        for (const request of inFlight) request.destroy();
      };
      const fail = (error: unknown): void => settle(() => reject(error));
      const giveUp = (): void =>
        fail(new GoogleError(`${name} did not respond in time`, {}, lastFailure));

      const attempt = (): void => {
        authorize(keepFailure).then((authorization) => isSettled || begin(authorization), fail);
      };
      const keepFailure = (failure: unknown): void => {
        lastFailure = failure;
      };
      const begin = ({ headers, dropToken }: Authorization): void => {
        const all = { ...headers, ...entity };
        const request = send(url, all, body, () => onSilence(request));
        inFlight.push(request);
        receive(request, newReader()).then(
          (result) => settle(() => resolve(result)),
          (error) => isSettled || onFailure(request, error, dropToken),
        );
      };
      const onSilence = (request: ClientRequest): void => {
        closeIdle();
        if (isSettled || request !== inFlight.at(-1)) return;
        if (inFlight.length > 1) inFlight.pop()?.destroy();
        clearTimeout(pause);
        attempt();
      };
      const onFailure = (request: ClientRequest, error: unknown, dropToken?: () => void): void => {
        const index = inFlight.indexOf(request);
        // The request was destroyed, because a later attempt replaced it.
        if (index < 0) return;
        const isLatest = index === inFlight.length - 1;
        inFlight.splice(index, 1);
        lastFailure = error;
        const kind = kindOf(error);
        failures[kind] += 1;
        if (kind === 'unauthenticated') dropToken?.();
        // The peer had closed this idle connection, and may have closed the others too.
        const wasClosed = !(error instanceof GoogleError) && request.reusedSocket;
        // After a response to another request, no connection of this peer can be trusted.
        if (wasClosed || kind === 'unusable') closeIdle();
        if (failures[kind] > REPEATS_MAX[kind]) fail(error);
        else if (!isLatest) return;
        else if (kind !== 'transient' || wasClosed) attempt();
        else {
          pause = setTimeout(attempt, pauseMs * (0.8 + 0.4 * Math.random()));
          pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
        }
      };

      signal.addEventListener('abort', giveUp);
      attempt();
    });
  };

  function kindOf(error: unknown): keyof typeof REPEATS_MAX {
    if (error instanceof UnusableResponse) return 'unusable';
    // Node's own errors mean that the connection failed.
    if (!(error instanceof GoogleError)) return 'transient';
    const { httpStatus } = error.details;
    if (httpStatus === 401) return 'unauthenticated';
    return isTransient(httpStatus) ? 'transient' : 'final';
  }
}
