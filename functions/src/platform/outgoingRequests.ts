// The HTTP requests that libraries make for one lookup: aborted with it, and bounded in what they read.

import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

/** Published by Node for each request that this process makes. */
const REQUEST_CREATED = 'http.client.request.created';
/** An account has some 2 KB, and at most 1,000 bytes of claims. */
const RESPONSE_MAX_BYTES = 1024 ** 2;

const signals = new AsyncLocalStorage<AbortSignal | undefined>();
let isSubscribed = false;

/** Runs work whose HTTP requests end when the signal is aborted or a response is longer than 1 MiB. */
export function withRequestsUntil<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (!isSubscribed) {
    isSubscribed = true;
    subscribe(REQUEST_CREATED, (message) => bound((message as { request: ClientRequest }).request));
  }
  return signals.run(signal, work);
}

/** Runs work that other lookups may wait for as well: its requests do not end with one lookup. */
export const withSharedRequests = <T>(work: () => Promise<T>): Promise<T> =>
  signals.run(undefined, work);

function bound(request: ClientRequest): void {
  const signal = signals.getStore();
  if (!signal) return;
  const end = (): void => {
    request.destroy(new Error('the lookup has ended'));
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  request.once('close', () => signal.removeEventListener('abort', end));
  request.once('response', (response: IncomingMessage) => {
    let received = 0;
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > RESPONSE_MAX_BYTES) request.destroy(new Error('the response is too long'));
    });
  });
}
